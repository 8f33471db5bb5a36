import { describe, expect, it } from 'vitest'
import {
  alertAt,
  type CodeTaker,
  budgetOf,
  codesFor,
  countedAs,
  isSpentFor,
} from '#server/features/session/code-budget.ts'

const stranger: CodeTaker = { hasAccount: false, isKnownBrowser: false }
const strangerToAccount: CodeTaker = { hasAccount: true, isKnownBrowser: false }
const owner: CodeTaker = { hasAccount: true, isKnownBrowser: true }
/** A browser that has proven the contact before the account was deleted. */
const former: CodeTaker = { hasAccount: false, isKnownBrowser: true }

describe('how many codes of a budget a request may use (D91)', () => {
  it.each([
    { total: 20_000, asker: stranger, codes: 16_000 },
    { total: 20_000, asker: strangerToAccount, codes: 19_000 },
    { total: 20_000, asker: owner, codes: 20_000 },
    { total: 20_000, asker: former, codes: 16_000 },
    { total: 100, asker: strangerToAccount, codes: 95 },
    { total: 20, asker: strangerToAccount, codes: 19 },
    // A smaller budget keeps no code for browsers that have proven the contact.
    { total: 19, asker: strangerToAccount, codes: 19 },
    { total: 1, asker: stranger, codes: 1 },
    { total: 0, asker: owner, codes: 0 },
    { total: Number.POSITIVE_INFINITY, asker: stranger, codes: Number.POSITIVE_INFINITY },
  ])('of $total is $codes for $asker', ({ total, asker, codes }) => {
    expect(codesFor(total, asker)).toBe(codes)
  })
})

describe('the budget of a code (D91)', () => {
  const config = { smsBudgetHome: 20, smsBudgetAbroad: 3, emailBudget: 50 }
  const phone = { kind: 'phone', value: '237671234567', address: '237671234567', dialCode: '237' } as const
  const email = { kind: 'email', value: 'a@b.cm', address: 'a@b.cm', dialCode: '' } as const

  it.each([
    ['at home', phone, { key: 'sms 237', total: 20, spentProblem: 'sms-spent' }],
    ['abroad', { ...phone, dialCode: '33' }, { key: 'sms 33', total: 3, spentProblem: 'sms-spent' }],
    ['by e-mail', email, { key: 'email', total: 50, spentProblem: 'email-spent' }],
    [
      'without a recipient has no end',
      { ...email, address: '' },
      { key: 'no recipient', total: Number.POSITIVE_INFINITY, spentProblem: 'email-spent' },
    ],
    [
      'to no number has no end',
      { ...phone, address: '' },
      { key: 'no recipient', total: Number.POSITIVE_INFINITY, spentProblem: 'sms-spent' },
    ],
  ])('%s', (_, contact, { key, total, spentProblem }) => {
    expect(budgetOf(config, contact)).toEqual({ counter: { key, window: 'day' }, total, spentProblem })
  })

  it.each([
    [undefined, { isCounted: false, isReserved: true }],
    [80, { isCounted: true, isReserved: false }],
    [81, { isCounted: true, isReserved: true }],
    [100, { isCounted: true, isReserved: true }],
  ])('of 100 codes tells whether code number %s counted and the rest is for accounts', (spent, counted) => {
    expect(countedAs(spent, 100)).toEqual(counted)
  })

  it.each([
    [94, false, false],
    [95, true, false],
    [99, true, false],
    [100, true, true],
  ])(
    'of 100 codes after %i is spent for an unknown browser: %s, a known one: %s',
    (spent, unknown, known) => {
      expect(isSpentFor(false, { spent, total: 100 })).toBe(unknown)
      expect(isSpentFor(true, { spent, total: 100 })).toBe(known)
    },
  )
})

describe('the message to the operator about a budget (D91)', () => {
  it.each([
    ['phone', 50, 'warn', /SMS budget of this country code is 50 % spent.*captcha.*SMS_BUDGET_HOME/],
    ['phone', 80, 'warn', /SMS budget of this country code is 80 % spent.*have an account.*SMS_BUDGET_HOME/],
    ['phone', 95, 'warn', /SMS budget of this country code is 95 % spent.*signed in before.*SMS_BUDGET_HOME/],
    ['phone', 100, 'error', /SMS budget of this country code is spent.*no code by SMS.*SMS_BUDGET_HOME/],
    ['email', 50, 'warn', /budget of codes by e-mail is 50 % spent.*captcha.*EMAIL_BUDGET/],
    ['email', 80, 'warn', /budget of codes by e-mail is 80 % spent.*have an account.*EMAIL_BUDGET/],
    ['email', 95, 'warn', /budget of codes by e-mail is 95 % spent.*signed in before.*EMAIL_BUDGET/],
    ['email', 100, 'error', /budget of codes by e-mail is spent.*Nobody gets a code.*EMAIL_BUDGET/],
  ] as const)('for %s: comes when code %i of 100 is counted', (kind, spent, level, text) => {
    expect(alertAt(kind, { spent, total: 100 })).toMatchObject({ level, text: expect.stringMatching(text) })
  })

  it('does not come for any other code', () => {
    const silent = [1, 49, 51, 79, 81, 94, 96, 99]
    expect(silent.map(spent => alertAt('phone', { spent, total: 100 }))).toEqual(silent.map(() => undefined))
  })

  it('for a budget of one code: says that it is spent, not that it is half spent', () => {
    expect(alertAt('phone', { spent: 1, total: 1 })?.level).toBe('error')
  })
})
