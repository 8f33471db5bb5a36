import { describe, expect, it } from 'vitest'
import { failureOf, storableReason } from '#server/features/payments/failure-reason.ts'
import { payerSteps, phoneTimeoutMs } from '#server/features/payments/payer-steps.ts'
import {
  firstQueryAfterSeconds,
  giveUpAfterSeconds,
  nextQuerySeconds,
} from '#server/features/payments/status-schedule.ts'

const [minute, hour, day] = [60, 3_600, 86_400]

describe('the schedule of status queries (D42)', () => {
  it('of an open order is every 15 s for five minutes, then at 6, 11 and 26 minutes, then hourly for a day', () => {
    const times: number[] = []
    for (let sinceOrderSeconds = 0; sinceOrderSeconds < day && times.length < 100;) {
      const ages = { sinceOrderSeconds, sinceEndSeconds: 0 }
      sinceOrderSeconds += nextQuerySeconds({ status: 'IN_PROGRESS', given_up_at: null }, ages) ?? Number.NaN
      times.push(sinceOrderSeconds)
    }
    expect(times).toEqual([
      ...Array.from({ length: 20 }, (_, index) => (index + 1) * 15),
      ...[6, 11, 26].map(minutes => minutes * minute),
      ...Array.from({ length: 24 }, (_, index) => (index + 1) * hour),
    ])
    expect([firstQueryAfterSeconds, giveUpAfterSeconds]).toEqual([15, day])
  })

  it('of a failed order is 1, 5 and 15 minutes, 1, 6 and 24 hours after its end, and never again', () => {
    const times: number[] = []
    for (let sinceEndSeconds = 0; times.length < 100;) {
      const ages = { sinceOrderSeconds: sinceEndSeconds, sinceEndSeconds }
      const seconds = nextQuerySeconds({ status: 'ERROR', given_up_at: null }, ages)
      if (seconds === undefined) break
      sinceEndSeconds += seconds
      times.push(sinceEndSeconds)
    }
    expect(times).toEqual([minute, 5 * minute, 15 * minute, hour, 6 * hour, day])
  })

  it.each([
    ['that has succeeded', 'SUCCESS', null, 10, undefined],
    ['that is open for a day', 'IN_PROGRESS', null, day, minute],
    ['that is open for more than a day', 'IN_PROGRESS', null, 2 * day, minute],
    ['that was given up', 'ERROR', new Date(0), day, day],
    ['that was given up almost a week ago', 'ERROR', new Date(0), 8 * day - 1, day],
    ['that was given up a week ago', 'ERROR', new Date(0), 8 * day, undefined],
    ['a second before a query', 'IN_PROGRESS', null, 14, 16],
    ['more than a second before a query', 'IN_PROGRESS', null, 13.9, 1.1],
  ] as const)('of an order %s', (_, status, givenUpAt, age, seconds) => {
    const ages = { sinceOrderSeconds: age, sinceEndSeconds: age }
    const next = nextQuerySeconds({ status, given_up_at: givenUpAt }, ages)
    expect(next === undefined ? next : Math.round(next * 10) / 10).toBe(seconds)
  })

  it.each([
    ['began at a time still to come', -5, 0, minute],
    ['ended at a time still to come', 10, -5, minute],
    ['began now', 0, 0, 15],
  ])('of an order that %s (D95)', (_, sinceOrderSeconds, sinceEndSeconds, seconds) => {
    const ages = { sinceOrderSeconds, sinceEndSeconds }
    expect(nextQuerySeconds({ status: 'IN_PROGRESS', given_up_at: null }, ages)).toBe(seconds)
  })
})

const error = (detail: Record<string, unknown>) => ({ kind: 'ERROR', detail })

describe('the reason of a failure', () => {
  it.each([
    ['canceled', 'canceled'],
    ['left', 'canceled'],
    ['given-up', 'no-answer'],
    ['missing', 'no-answer'],
    ['unsent', 'operator-down'],
    ['no-form', 'operator-down'],
    ['unavailable', 'operator-down'],
    ['payment-code-wrong', 'wrong-code'],
    ['payment-code-expired', 'expired'],
    ['another', 'unknown'],
    [7, 'unknown'],
  ])('%s of the server means %s', (reason, failure) => {
    expect(failureOf([error({ reason })])).toBe(failure)
  })

  it('is the reason that the provider named or, without a known one, the reason that the server knows', () => {
    expect(failureOf([error({ reason: 'canceled', failure: 'not-enough-money' })])).toBe('not-enough-money')
    expect(failureOf([error({ reason: 'canceled', failure: 'newest' })])).toBe('canceled')
  })

  it.each([
    ['NOT_ENOUGH_FUNDS', 'NOT_ENOUGH_FUNDS'],
    ['A', 'A'],
    ['A'.repeat(40), 'A'.repeat(40)],
    ['703201', '703201'],
    ['7', '7'],
    ['A'.repeat(41), 'other'],
    ['_FUNDS', 'other'],
    ['NOT ENOUGH FUNDS', 'other'],
    ['FUNDS: Awa', 'other'],
    ['Awa', 'other'],
    ['6712345', 'other'],
    ['7.', 'other'],
    [' 7', 'other'],
    ['', 'other'],
  ])('is stored as the code of the provider, and no other text is: "%s" (D71)', (reason, stored) => {
    expect(storableReason(reason)).toBe(stored)
  })

  it('is of the last failure, and undefined before the first', () => {
    const created = { kind: 'CREATED', detail: { failure: 'expired' } }
    expect(failureOf([created])).toBeUndefined()
    expect(failureOf([error({ failure: 'expired' }), error({ failure: 'no-account' }), created])).toBe(
      'no-account',
    )
  })
})

it('lets the payer approve on a phone for five minutes and use a card page for thirty (F1)', () => {
  const phone = { step: 'waiting-for-approval', timeoutMs: 300_000 }
  const card = { step: 'waiting-for-card', timeoutMs: 1_800_000 }
  const none = { step: 'asking-operator', timeoutMs: 0 }
  expect(phoneTimeoutMs).toBe(300_000)
  expect(payerSteps).toEqual({
    MOBILE: phone,
    AGGREGATOR: phone,
    CARD: card,
    CARD_UBA: card,
    BACM: card,
    MOCK: none,
    WHITELIST: none,
  })
})
