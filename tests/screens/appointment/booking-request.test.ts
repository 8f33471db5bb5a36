import { describe, expect, it } from 'vitest'
import { ApplicationId } from '#contract/ids.ts'
import { bookingRequest } from '#screens/appointment/booking-request.ts'

const applicationId = ApplicationId.parse('app-1')

describe('bookingRequest', () => {
  it.each(['09:30', '09:30:00'])(
    'joins the date and the time %s to one local time with seconds, without the general queue (APT15, S44)',
    time => {
      expect(
        bookingRequest(applicationId, { kind: 'time', officeId: '2', date: '2026-12-01', time }),
      ).toEqual({
        applicationId,
        officeId: '2',
        appointmentDate: '2026-12-01T09:30:00',
        generalQueue: false,
      })
    },
  )

  it('requests the general queue without a date (APT16)', () => {
    expect(bookingRequest(applicationId, { kind: 'queue', officeId: '2' })).toEqual({
      applicationId,
      officeId: '2',
      appointmentDate: null,
      generalQueue: true,
    })
  })
})
