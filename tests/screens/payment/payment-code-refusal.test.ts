import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { codeRefusal } from '#screens/payment/payment-code-refusal.ts'

type Refused = Extract<Problem, { kind: 'refused' }>

describe('codeRefusal', () => {
  it.each<[Partial<Refused>, unknown]>([
    [{ errors: [{ message: 'one' }, { message: 'two' }], message: 'three' }, { text: 'one' }],
    [{ errors: ['one'], message: 'three' }, { text: 'one' }],
    [{ errors: [{ field: 'otp' }], message: 'three' }, { text: 'three' }],
    [{ errors: [''], message: 'three' }, { text: 'three' }],
    [{ errors: [{ field: 'otp', message: 'not-valid' }] }, { key: 'issue.not-valid' }],
    [{ message: 'three' }, { text: 'three' }],
    [{}, { key: 'notice.generic' }],
  ])('returns the first message of %j, or the generic notice without one (ERR18, S41)', (rest, message) => {
    expect(codeRefusal(refused(rest))).toEqual({ kind: 'refused', message, next: 'type-again' })
  })

  it('starts the payment again after statusCode 2 (ERR18)', () => {
    expect(codeRefusal(refused({ statusCode: 2 }))).toMatchObject({ kind: 'refused', next: 'pay-again' })
  })

  it('shows the result of a payment that awaits no code (PAY24, D129)', () => {
    const problem = refused({ status: 409, statusCode: 409, reason: 'wrong-state', message: 'ended' })
    expect(codeRefusal(problem)).toEqual({
      kind: 'refused',
      message: { text: 'ended' },
      next: 'show-result',
    })
  })

  it.each<Problem>([
    { kind: 'offline' },
    { kind: 'unreachable', cause: 'no-answer' },
    { ...refused({ status: 500 }), kind: 'broken' },
    refused({ status: 401 }),
  ])('adds no notice to a failure that the notice for all calls covers: %j', problem => {
    expect(codeRefusal(problem)).toEqual({ kind: 'announced' })
  })
})

function refused(rest: Partial<Refused>): Refused {
  return {
    kind: 'refused',
    status: 400,
    statusCode: 1,
    message: undefined,
    errors: [],
    data: undefined,
    ...rest,
  }
}
