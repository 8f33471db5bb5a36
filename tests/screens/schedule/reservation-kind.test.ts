import { describe, expect, it } from 'vitest'
import { AppointmentId } from '#contract/ids.ts'
import { applicationStates } from '#contract/states.ts'
import { reservationKindOf } from '#screens/schedule/reservation-kind.ts'

const bookedId = AppointmentId.parse('booked')
/** READY_TO_RESCHEDULE: the applicant did not come, and books again. */
const paidStatesWithoutBooking = ['PAYMENT_DONE', 'APPOINTMENT_CANCELED', 'READY_TO_RESCHEDULE']

describe('reservationKindOf (S33)', () => {
  it.each(applicationStates)(
    'returns new when the state says that the application is paid and has no appointment, else change: %s',
    currentState => {
      const list = [{ id: 'app-1', currentState, appointment: { id: bookedId } }]
      expect(reservationKindOf(list, 'app-1')).toEqual(
        paidStatesWithoutBooking.includes(currentState)
          ? { kind: 'new' }
          : { kind: 'change', booked: bookedId },
      )
    },
  )

  it('returns change when the application or its state is unknown, because the button Cancel then releases no place', () => {
    expect(reservationKindOf([], 'app-1')).toEqual({ kind: 'change', booked: undefined })
    expect(reservationKindOf([{ id: 'app-1', currentState: 'SOMETHING_NEW' }], 'app-1')).toMatchObject({
      kind: 'change',
    })
  })
})
