import { homeDialCode } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Configuration } from '#server/config/config.ts'
import type { Services } from '#server/calls/services.ts'
import type { ContactKind } from '#contract/account.ts'
import type { Contact } from './contact.ts'
import { type Counted, type Counter, countUp } from '#server/database/usage-counts.ts'

/** The beginning of the `usage_count` keys that count a day's codes by SMS to one country code. */
export const smsBudgetKey = 'sms '
export const emailBudgetKey = 'email'
/** Counts codes without a recipient: they use no budget, but must take as long as other codes. */
const noRecipientKey = 'no recipient'

/**
 * At 50 % of a budget codes need a captcha, except in a browser that has proven the contact before. At 80 % only contacts
 * with an account get codes. At 95 % they get them only in such a browser (D91).
 */
export const captchaShare = 0.5
export const reserveShare = 0.8
const knownBrowserShare = 0.95

/**
 * The codes of one day to one country code, or by e-mail. A budget also bounds how many codes can be guessed in a day.
 */
export type Budget = { counter: Counter; total: number; spentProblem: ProblemCode }

type Budgets = Pick<Configuration, 'emailBudget' | 'smsBudgetHome' | 'smsBudgetAbroad'>

export function budgetOf(config: Budgets, { kind, address, dialCode }: Contact): Budget {
  const spentProblem = kind === 'phone' ? 'sms-spent' : 'email-spent'
  const budget = (key: string, total: number): Budget => ({
    counter: { key, window: 'day' },
    total,
    spentProblem,
  })
  if (address === '') return budget(noRecipientKey, Number.POSITIVE_INFINITY)
  if (kind === 'email') return budget(emailBudgetKey, config.emailBudget)
  return budget(`${smsBudgetKey}${dialCode}`, smsBudgetOf(config, dialCode))
}

/** Returns how many codes by SMS a country code may get in a day. */
export function smsBudgetOf(config: Budgets, dialCode: string): number {
  return dialCode === homeDialCode ? config.smsBudgetHome : config.smsBudgetAbroad
}

/**
 * `hasAccount`: of the contact that gets the code. `isKnownBrowser`: the browser that asks has proven the typed contact
 * before (D90).
 */
export type CodeTaker = { hasAccount: boolean; isKnownBrowser: boolean }

/** Returns the number of codes of a day after which this taker gets none. */
export function codesFor(total: number, { hasAccount, isKnownBrowser }: CodeTaker): number {
  if (!hasAccount) return shareOf(total, reserveShare)
  return isKnownBrowser ? total : shareOf(total, knownBrowserShare)
}

/**
 * Whether this browser gets no code even if the contact has an account. The result does not depend on whether there is an
 * account, so it does not reveal that (D20).
 */
export function isSpentFor(
  isKnownBrowser: boolean,
  { spent, total }: { spent: number; total: number },
): boolean {
  return spent >= codesFor(total, { hasAccount: true, isKnownBrowser })
}

/**
 * Counts one code. `isCounted` is false, and `counted` undefined, when the budget has none left for this contact.
 * `isReserved`: a contact without an account gets no code now.
 */
export async function useBudget(
  { db, config, logger }: Services,
  { contact, ...taker }: CodeTaker & { contact: Contact },
): Promise<{ isCounted: boolean; isReserved: boolean; counted: Counted | undefined }> {
  const { counter, total } = budgetOf(config, contact)
  const counted = (await countUp(db, [counter], codesFor(total, taker))).get(counter.key)
  const spent = counted?.count
  const { kind, dialCode } = contact
  const alert = spent === undefined ? undefined : alertAt(kind, { spent, total })
  if (alert) logger[alert.level]({ ...(dialCode && { dialCode }), spent, budget: total }, alert.text)
  return { ...countedAs(spent, total), counted }
}

/** `spent`: the codes with this one; undefined when the budget had none left for it. */
export function countedAs(
  spent: number | undefined,
  total: number,
): { isCounted: boolean; isReserved: boolean } {
  const isCounted = spent !== undefined
  return { isCounted, isReserved: !isCounted || spent > shareOf(total, reserveShare) }
}

/** What an operator reads when this code is the one that reaches a share of the budget. A small budget skips shares. */
export function alertAt(
  kind: ContactKind,
  { spent, total }: { spent: number; total: number },
): { level: 'warn' | 'error'; text: string } | undefined {
  const { half, reserved, known, spent: all } = alerts[kind]
  if (spent === total) return { level: 'error', text: all }
  if (spent === shareOf(total, knownBrowserShare)) return { level: 'warn', text: known }
  if (spent === shareOf(total, reserveShare)) return { level: 'warn', text: reserved }
  return spent === shareOf(total, captchaShare) ? { level: 'warn', text: half } : undefined
}

/** Rounds up, so that a budget of one lets a code through for a contact without an account too. */
function shareOf(total: number, share: number): number {
  return Math.ceil(total * share)
}

const alerts = {
  phone: {
    half: 'The daily SMS budget of this country code is 50 % spent. From now on each code there needs a captcha, except in a browser that the applicant has used before. Check for SMS pumping, or raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
    reserved:
      'The daily SMS budget of this country code is 80 % spent. The rest is for numbers that have an account; new applicants there can use an e-mail address. Check for SMS pumping, or raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
    known:
      'The daily SMS budget of this country code is 95 % spent. The rest is for applicants in a browser in which they signed in before. Check for SMS pumping, or raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
    spent:
      'The daily SMS budget of this country code is spent. Applicants there get no code by SMS until tomorrow. Check for SMS pumping, then raise SMS_BUDGET_HOME or SMS_BUDGET_ABROAD.',
  },
  email: {
    half: 'The daily budget of codes by e-mail is 50 % spent. From now on each code by e-mail needs a captcha, except in a browser that the applicant has used before. Check for an attack on codes, or raise EMAIL_BUDGET.',
    reserved:
      'The daily budget of codes by e-mail is 80 % spent. The rest is for addresses that have an account; new applicants can use a phone number. Check for an attack on codes, or raise EMAIL_BUDGET.',
    known:
      'The daily budget of codes by e-mail is 95 % spent. The rest is for applicants in a browser in which they signed in before. Check for an attack on codes, or raise EMAIL_BUDGET.',
    spent:
      'The daily budget of codes by e-mail is spent. Nobody gets a code by e-mail until tomorrow. Check for an attack on codes, then raise EMAIL_BUDGET.',
  },
} as const satisfies Record<ContactKind, Record<string, string>>
