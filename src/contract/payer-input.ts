import * as z from 'zod/mini'
import { homeDialCode } from './codes.ts'
import { countCharacters, isBlank, normaliseName } from './fields.ts'
import type { IssueCode } from './issues.ts'
import { phoneIssue } from './phone.ts'
import { isPremiumNumber } from './premium-numbers.ts'

// The rules of what a payer types before a payment.

export const payerNameLimit = 50
const payerCodeLimit = 8

/**
 * The body of the call that starts an aggregator payment. `id` is the id of the application (S38); this server reads that of
 * the query instead.
 */
export const AggregatorBody = z.object({
  phone: z.string().check(z.maxLength(30)),
  paymentMethod: z.string().check(z.minLength(1), z.maxLength(100)),
  name: z.string().check(
    z.minLength(1),
    z.maxLength(200),
    z.refine(name => !isNameTooLong(name), { message: `too-long-${payerNameLimit}` }),
  ),
  otp: z._default(
    z.nullable(
      z.string().check(z.refine(code => !isCodeTooLong(code), { message: `too-long-${payerCodeLimit}` })),
    ),
    '',
  ),
  id: z.optional(z.nullable(z.string())),
})

/** True for at least eight typed characters with a digit, which is enough to request a payment (PAY09, S07). */
export function isMobileMoneyNumber(typed: string): boolean {
  return countCharacters(typed.trim()) >= 8 && /\d/.test(typed)
}

export type AggregatorForm = {
  paymentMethod: string
  name: string
  dialCode: string
  phone: string
  otp: string
}

/**
 * Orange Money requires a code, which the payer gets after dialling a number of the operator; Yoomee Money requires a
 * PIN; other methods require nothing (PAY15).
 */
export function codeKind(paymentMethod: string): 'orange' | 'yoomee' | 'none' {
  const method = paymentMethod.toLowerCase()
  if (method === 'orange-money') return 'orange'
  return method === 'yoomee-money' ? 'yoomee' : 'none'
}

/** Returns the issues of the aggregator form in the order of its fields (PAY12–PAY16). */
export function aggregatorIssues(form: AggregatorForm): { field: keyof AggregatorForm; code: IssueCode }[] {
  const issues: { field: keyof AggregatorForm; code: IssueCode }[] = []
  if (isBlank(form.paymentMethod)) issues.push({ field: 'paymentMethod', code: 'required' })
  if (isBlank(form.name)) issues.push({ field: 'name', code: 'required' })
  else if (isNameTooLong(form.name)) issues.push({ field: 'name', code: `too-long-${payerNameLimit}` })
  if (isBlank(form.phone)) issues.push({ field: 'phone', code: 'required' })
  else {
    const dialCode = form.dialCode || homeDialCode
    const digits = form.phone.replace(/\D/g, '')
    const code = phoneIssue(dialCode, digits)
    if (code) issues.push({ field: 'phone', code })
    else if (isPremiumNumber(dialCode, digits)) issues.push({ field: 'phone', code: 'phone-premium' })
  }
  if (codeKind(form.paymentMethod) === 'none') return issues
  if (isBlank(form.otp)) issues.push({ field: 'otp', code: 'required' })
  else if (isCodeTooLong(form.otp)) issues.push({ field: 'otp', code: `too-long-${payerCodeLimit}` })
  return issues
}

function isNameTooLong(name: string): boolean {
  return countCharacters(normaliseName(name)) > payerNameLimit
}

function isCodeTooLong(code: string): boolean {
  return countCharacters(code) > payerCodeLimit
}
