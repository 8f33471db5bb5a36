import * as z from 'zod/mini'
import { homeDialCode } from './codes.ts'
import { countCharacters, isBlank, normaliseName } from './fields.ts'
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

const NoId = z.union([PaymentId, z.literal('')])

/** What an init answers: one without an id, then '', created no order (ERR14, ERR16, S37). */
export const StartedPayment = z.extend(Payment, {
  id: z.pipe(
    z.nullish(NoId),
    z.transform(id => id ?? ''),
  ),
})
export type StartedPayment = z.output<typeof StartedPayment>

/** Where an attempt to pay stands, for the case file of an application (F1). */
export const attemptStates = ['IN_PROGRESS', 'SUCCESS', 'ERROR', 'REFUND_DUE', 'REFUNDED'] as const
export type AttemptState = (typeof attemptStates)[number]

/**
 * What happens next with an attempt: the payer approves it on the phone, enters a code, or finishes on the card page;
 * the operator is asked again (`nextAt` says when); nothing was taken; it is paid; it is due back, was given back; or
 * no answer ever came and only the operator or the help desk can say more.
 */
export const attemptSteps = [
  'waiting-for-approval',
  'waiting-for-code',
  'waiting-for-card',
  'asking-operator',
  'nothing-taken',
  'paid',
  'refund-due',
  'refunded',
  'ask-help',
] as const
export type AttemptStep = (typeof attemptSteps)[number]

/** One attempt to pay. Times are instants (ISO 8601, UTC). */
export const PaymentAttempt = z.object({
  id: PaymentId,
  orderNumber: z.string(),
  methodType: z.enum(methodTypes),
  /** The wallet or gateway by its own name, such as `Orange Money`; '' where the type says it all. */
  method: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  amount: z.number(),
  currency: z.string(),
  /** What the operator calls the payment, as in its own message to the payer; '' until it is known. */
  operatorReference: z.string(),
  state: z.enum(attemptStates),
  /** Every change of the state, the oldest first; the first is the order itself. */
  history: z.array(z.object({ state: z.enum(attemptStates), at: z.string() })),
  next: z.enum(attemptSteps),
  /** When the operator is asked next; null when it is not. */
  nextAt: z.nullable(z.string()),
})
export type PaymentAttempt = z.output<typeof PaymentAttempt>

/**
 * Pages of the server, not of the portal. The card gateway brings the payer back to `cardReturnPath` (by GET or POST,
 * in whatever browser); `cardPagePath` holds the gateway's form, once, under a policy of its own.
 */
export const cardReturnPath = '/pay/return'
export const cardPagePath = '/pay/card'

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

/** `method` tells the two gateways of one call apart (S39); without it the first that is switched on. */
export const CardBody = z.object({
  returnUrl: z._default(z.string().check(z.maxLength(2_000)), ''),
  method: z.optional(z.enum(['CARD', 'BACM'])),
})

/**
 * A card init: an HTML page, or the fields of the hidden form (S12). Our server adds the payment, and the address of
 * its own narrow page for whoever cannot show what `data` holds (`cardPagePath` and a ticket, good once).
 */
export const CardAnswer = z.object({
  status: z.literal('Success'),
  data: z.union([z.string(), CardForm]),
  paymentId: z.optional(PaymentId),
  page: z.optional(z.string()),
})
export type CardAnswer = z.output<typeof CardAnswer>

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
  else if (countCharacters(normaliseName(form.name)) > 50) issues.push({ field: 'name', code: 'too-long-50' })
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
