import { describe, expect, it } from 'vitest'
import { AppointmentId } from '#contract/ids.ts'
import { applicationStates } from '#contract/states.ts'
import { reservationKindOf } from '#screens/schedule/reservation-kind.ts'

const booked = AppointmentId.parse('booked')
const statesWithoutBooking = ['PAYMENT_DONE', 'APPOINTMENT_CANCELED', 'READY_TO_RESCHEDULE']

describe('reservationKindOf (S33)', () => {
  it.each(applicationStates)('returns new only in a state without a booked appointment: %s', currentState => {
    const list = [{ id: 'app-1', currentState, appointment: { id: booked } }]
    expect(reservationKindOf(list, 'app-1')).toEqual(
      statesWithoutBooking.includes(currentState) ? { kind: 'new' } : { kind: 'change', booked },
    )
  })

  it('returns change, which loses nothing, when the application is unknown', () => {
    expect(reservationKindOf([], 'app-1')).toEqual({ kind: 'change', booked: undefined })
    expect(reservationKindOf([{ id: 'app-1', currentState: 'SOMETHING_NEW' }], 'app-1')).toMatchObject({
      kind: 'change',
    })
  })
})
