import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { refusedProblem } from '#support/data/refused-problem.ts'
import { bookingRefusal } from '#screens/appointment/booking-refusal.ts'

const queue = { kind: 'queue', officeId: '2' } as const
const time = { kind: 'time', officeId: '2', date: '2026-12-01', time: '09:30:00' } as const

describe('bookingRefusal', () => {
  it('asks for a time when the office has dates again (ERR19)', () => {
    expect(
      bookingRefusal(refusedProblem({ statusCode: 13, message: 'x' }), { selection: queue, isChange: false }),
    ).toEqual({
      kind: 'choose-again',
      message: { key: 'notice.chooseTime' },
      reload: true,
    })
  })

  it.each([
    ['Cette heure vient d’être prise.', { text: 'Cette heure vient d’être prise.' }],
    [undefined, { key: 'notice.timeTaken' }],
    [' ', { key: 'notice.timeTaken' }],
  ])('shows that the time is taken, with the server message %j or a default (ERR20)', (text, message) => {
    for (const isChange of [true, false])
      expect(
        bookingRefusal(refusedProblem({ statusCode: 13, message: text }), { selection: time, isChange }),
      ).toEqual({
        kind: 'choose-again',
        message,
        reload: true,
      })
  })

  it.each([400, 404, 409, 422])('asks to try later after status %i (ERR21)', status => {
    const problem = refusedProblem({ status, statusCode: status })
    expect(bookingRefusal(problem, { selection: time, isChange: false })).toEqual({
      kind: 'choose-again',
      message: { key: 'notice.scheduleNotReady' },
      reload: false,
    })
  })

  it.each([400, 404, 422])('does not speak of a schedule after status %i to a change (ERR21)', status => {
    const problem = refusedProblem({ status, statusCode: status })
    expect(bookingRefusal(problem, { selection: time, isChange: true })).toEqual({
      kind: 'choose-again',
      message: { key: 'notice.generic' },
      reload: false,
    })
  })

  it('returns change-refused when a change is not allowed (ERR23, S60)', () => {
    const problem = refusedProblem({ status: 409, statusCode: 409 })
    expect(bookingRefusal(problem, { selection: time, isChange: true })).toEqual({ kind: 'change-refused' })
  })

  it('returns wrong-state when this server refuses a booking for the state of the application (D129)', () => {
    const problem = refusedProblem({ status: 409, statusCode: 409, reason: 'wrong-state' })
    expect(bookingRefusal(problem, { selection: time, isChange: false })).toEqual({ kind: 'wrong-state' })
  })

  it.each<Problem>([
    { kind: 'offline' },
    { kind: 'unreachable', cause: 'no-answer' },
    { ...refusedProblem({ status: 503 }), kind: 'broken' },
    refusedProblem({ status: 429 }),
  ])('adds no notice to a failure that the notice for all calls covers: %j', problem => {
    expect(bookingRefusal(problem, { selection: time, isChange: false })).toEqual({ kind: 'announced' })
  })
})
