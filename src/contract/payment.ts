import * as z from 'zod/mini'
import { homeDialCode } from './codes.ts'
import { countCharacters, isBlank, tidyName } from './fields.ts'
import { PaymentId } from './ids.ts'
import type { IssueCode } from './issues.ts'
import { phoneIssue } from './phone.ts'

export const methodTypes = ['MOBILE', 'CARD_UBA', 'CARD', 'BACM', 'AGGREGATOR', 'MOCK', 'WHITELIST'] as const
export type MethodType = (typeof methodTypes)[number]

export const paymentStatuses = ['SUCCESS', 'ERROR', 'IN_PROGRESS'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** An aggregator's method is a name, or an object with one (S38). */
export const AggregatorMethod = z.pipe(
  z.union([z.string(), z.object({ name: z.string() })]),
  z.transform(method => (typeof method === 'string' ? method : method.name)),
)

/** PAY04; `type` stays text, so that an unknown one is skipped and not fatal (S39). */
export const PaymentMethod = z.object({
  type: z.string(),
  enable: z._default(z.boolean(), false),
  fee: z.number(),
  currency: z.string(),
  methods: z._default(z.nullable(z.array(AggregatorMethod)), []),
})
export type PaymentMethod = z.output<typeof PaymentMethod>

export const Payment = z.object({
  id: PaymentId,
  orderId: z._default(z.nullable(z.string()), ''),
  paymentStatus: z.enum(paymentStatuses),
  amount: z.number(),
  currency: z.string(),
  needOtp: z._default(z.nullable(z.boolean()), false),
  phoneNumber: z._default(z.nullable(z.string()), ''),
})
export type Payment = z.output<typeof Payment>

/** The fields of the hidden card form (PAY21). */
export const cardFields = [
  'payment_url',
  'signature',
  'cpm_trans_id',
  'cpm_amount',
  'cpm_currency',
  'apikey',
  'cpm_site_id',
  'cpm_trans_date',
  'cpm_payment_config',
  'cpm_page_action',
  'cpm_version',
  'cpm_language',
  'cpm_designation',
  'notify_url',
  'return_url',
  'cancel_url',
  'refusal_url',
] as const
export const CardForm = z.record(z.enum(cardFields), z.string())

/** The body of an aggregator init; `id` is the application's id (S38). */
export const AggregatorBody = z.object({
  phone: z.string().check(z.maxLength(30)),
  paymentMethod: z.string().check(z.minLength(1), z.maxLength(100)),
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  otp: z._default(z.nullable(z.string().check(z.maxLength(20))), ''),
  id: z.optional(z.nullable(z.string())),
})

export const CardBody = z.object({ returnUrl: z._default(z.string().check(z.maxLength(2_000)), '') })
export const PaymentCodeBody = z.object({ otp: z.string().check(z.minLength(1), z.maxLength(20)) })

/** Whether a mobile-money number can be asked: at least eight characters as typed (PAY09, S07). */
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

/** Orange-Money takes a code dialled for, Yoomee-Money a PIN, the others nothing (PAY15). */
export function codeKind(paymentMethod: string): 'orange' | 'yoomee' | 'none' {
  const known = paymentMethod.toLowerCase()
  if (known === 'orange-money') return 'orange'
  return known === 'yoomee-money' ? 'yoomee' : 'none'
}

/** PAY12–PAY16, in the order of the form. */
export function aggregatorIssues(form: AggregatorForm): { field: keyof AggregatorForm; code: IssueCode }[] {
  const issues: { field: keyof AggregatorForm; code: IssueCode }[] = []
  if (isBlank(form.paymentMethod)) issues.push({ field: 'paymentMethod', code: 'required' })
  if (isBlank(form.name)) issues.push({ field: 'name', code: 'required' })
  else if (countCharacters(tidyName(form.name)) > 50) issues.push({ field: 'name', code: 'too-long-50' })
  if (isBlank(form.phone)) issues.push({ field: 'phone', code: 'required' })
  else {
    const code = phoneIssue(form.dialCode || homeDialCode, form.phone.replace(/\D/g, ''))
    if (code) issues.push({ field: 'phone', code })
  }
  if (codeKind(form.paymentMethod) === 'none') return issues
  if (isBlank(form.otp)) issues.push({ field: 'otp', code: 'required' })
  else if (countCharacters(form.otp) > 8) issues.push({ field: 'otp', code: 'too-long-8' })
  return issues
}
