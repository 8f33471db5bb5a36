import { describe, expect, it } from 'vitest'
import { ApplicationId } from '#contract/ids.ts'
import { bookingRequest } from '#screens/appointment/booking-request.ts'

const applicationId = ApplicationId.parse('app-1')

describe('what a booking sends', () => {
  it.each(['09:30', '09:30:00'])(
    'is date and time %s joined as they are, and no queue (APT15, S44)',
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

  it('is the general queue and no date (APT16)', () => {
    expect(bookingRequest(applicationId, { kind: 'queue', officeId: '2' })).toEqual({
      applicationId,
      officeId: '2',
      appointmentDate: null,
      generalQueue: true,
    })
  })
})
