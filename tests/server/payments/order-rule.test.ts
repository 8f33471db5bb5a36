import { describe, expect, it } from 'vitest'
import { cancelObstacle } from '#server/features/payments/cancel-rule.ts'
import {
  areTooMany,
  areTooManyForNumber,
  codeRefusal,
  cooldownSecondsLeft,
  notPayableReason,
} from '#server/features/payments/order-rule.ts'
import { isSameOrder, judgeProven, type Proven } from '#server/features/payments/proven-payment-rule.ts'

describe('an application can be paid for', () => {
  it.each([
    ['not before its data was confirmed', 'NEW', false, true, 'dataNotConfirmed'],
    ['when its data was confirmed', 'DATA_SAVED', false, true, undefined],
    // A change that was stored as complete was checked then.
    ['without a second check of a complete form', 'DATA_SAVED', false, false, undefined],
    ['when a later draft is complete', 'DATA_SAVED', true, true, undefined],
    ['not while a later draft is incomplete', 'DATA_SAVED', true, false, 'dataNotConfirmed'],
    ['not a second time', 'PAYMENT_DONE', false, true, 'notPayable'],
    ['not when it was never confirmed, with a draft', 'NEW', true, true, 'dataNotConfirmed'],
    ['not when it was deleted', 'DELETED', true, true, 'notPayable'],
  ] as const)('%s', (_, state, draft, isComplete, why) => {
    expect(notPayableReason({ state, draft }, () => isComplete)).toBe(why)
  })
})

describe('the orders of one application (D97)', () => {
  it.each([
    [{ sentOfDay: 0, all: 0 }, false],
    [{ sentOfDay: 9, all: 99 }, false],
    [{ sentOfDay: 10, all: 10 }, true],
    [{ sentOfDay: 0, all: 100 }, true],
  ])('%o are too many: %s', (orders, tooMany) => {
    expect(areTooMany(orders)).toBe(tooMany)
  })
})

describe('a number that pays (D42, D97)', () => {
  it('gets at most ten unpaid orders in a day from accounts that have not proven it', () => {
    const verdicts = [9, 10, 11].map(unpaid => areTooManyForNumber({ unpaid, tried: unpaid }))
    expect(verdicts).toEqual([false, true, true])
  })

  it('gets at most thirty such orders in a day, with those that a provider refused immediately', () => {
    const verdicts = [29, 30, 31].map(tried => areTooManyForNumber({ unpaid: 0, tried }))
    expect(verdicts).toEqual([false, true, true])
  })

  it.each([
    ['none', null, 0],
    ['now', 0, 60],
    ['half a second ago', 0.5, 60],
    ['59 seconds ago', 59, 1],
    ['60 seconds ago', 60, 0],
    ['an hour ago', 3_600, 0],
  ])('waits until its last order is a minute old; last order: %s', (_, age, seconds) => {
    expect(cooldownSecondsLeft(age)).toBe(seconds)
  })
})

describe('a code of the payer (D96)', () => {
  it.each([
    [{ sent: 0, isLastOpen: false }, undefined],
    [{ sent: 4, isLastOpen: false }, undefined],
    [{ sent: 1, isLastOpen: true }, 'too-many-requests'],
    [{ sent: 5, isLastOpen: false }, 'payment-codes'],
    [{ sent: 6, isLastOpen: false }, 'payment-codes'],
    [{ sent: 5, isLastOpen: true }, 'too-many-requests'],
  ])('after %o is refused: %s', (codes, why) => {
    expect(codeRefusal(codes)).toBe(why)
  })
})

describe('an open order can be canceled (D47)', () => {
  const sent = { method: 'MOBILE', isSendOver: true, lacksValidCode: false } as const
  it.each([
    ['when it was never sent', 'unsent', { ...sent, isSendOver: false }, undefined],
    ['when the provider does not know it', 'missing', sent, undefined],
    [
      'not while a request may bring it to the provider',
      'missing',
      { ...sent, isSendOver: false },
      'just-sent',
    ],
    [
      'when a gateway of cards has shown no page',
      'missing',
      { ...sent, method: 'CARD', isSendOver: false },
      undefined,
    ],
    ['not while the payer may approve it', 'pending', sent, 'in-progress'],
    ['not while the provider gives no answer', 'unknown', sent, 'no-answer'],
    [
      'when the provider waits for a code and has refused every one that it got',
      'pending',
      { ...sent, lacksValidCode: true },
      undefined,
    ],
    [
      'when the provider has refused every code that it got, and gives no answer now',
      'unknown',
      { ...sent, lacksValidCode: true },
      undefined,
    ],
  ] as const)('%s', (_, queried, order, obstacle) => {
    expect(cancelObstacle(queried, order)).toBe(obstacle)
  })
})

describe('a success of a provider is that of an order', () => {
  const order = { order_id: 'PO-1', amount: 110_000, currency: 'XAF' }
  const reported = { orderId: 'PO-1', amount: 110_000, currency: 'XAF' }
  it.each([
    ['with its number, amount and currency', reported, true],
    ['not with another number', { ...reported, orderId: 'PO-2' }, false],
    ['not with a smaller amount', { ...reported, amount: 1_100 }, false],
    ['not with another currency', { ...reported, currency: 'EUR' }, false],
  ])('%s', (_, success, isSame) => {
    expect(isSameOrder(order, success)).toBe(isSame)
  })
})

describe('a payment that a statement proves (D108)', () => {
  const paid = { amount: 110_000, currency: 'XAF' }
  const open = { ...paid, application_id: 'a', status: 'ERROR' }
  const proven: Proven = {
    paid,
    known: open,
    isPast: false,
    isUnknownPayment: false,
    application: { id: 'a', state: 'DATA_SAVED' },
    fee: paid,
  }
  /** A restore has lost the order. */
  const lost = { ...proven, known: undefined }

  it.each([
    ['of a failed order becomes that of its application', proven, 'attach'],
    ['of a lost order becomes that of the application', lost, 'attach'],
    ['of a paid order is attached already', { ...proven, known: { ...open, status: 'SUCCESS' } }, 'already'],
    [
      'of an order of another application is refused',
      { ...proven, known: { ...open, application_id: 'b' } },
      'of-another-application',
    ],
    ['of an order of an erased application is refused', { ...lost, isPast: true }, 'of-another-application'],
    ['of another amount is refused', { ...proven, paid: { ...paid, amount: 1 } }, 'other-amount'],
    ['in another currency is refused', { ...proven, paid: { ...paid, currency: 'EUR' } }, 'other-amount'],
    [
      'of an order of before the fee was raised is attached',
      { ...proven, fee: { ...paid, amount: 120_000 } },
      'attach',
    ],
    [
      'of a lost order of before the fee was raised is refused',
      { ...lost, fee: { ...paid, amount: 120_000 } },
      'other-amount',
    ],
    ['that is due back, or was given back, is refused', { ...lost, isUnknownPayment: true }, 'due-back'],
    [
      'of a lost order needs confirmed data',
      { ...lost, application: { id: 'a', state: 'NEW' } },
      'not-confirmed',
    ],
    [
      'of a lost order pays for no paid application',
      { ...lost, application: { id: 'a', state: 'PAYMENT_DONE' } },
      'not-payable',
    ],
    // A second payment for one application: it is then due for refund.
    [
      'of a failed order of a paid application is attached',
      { ...proven, application: { id: 'a', state: 'PAYMENT_DONE' } },
      'attach',
    ],
  ] as const)('%s', (_, payment, judged) => {
    expect(judgeProven(payment)).toBe(judged)
  })
})
