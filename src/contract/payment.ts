import * as z from 'zod/mini'
import { asText } from './fields.ts'
import { PaymentId } from './ids.ts'
import { AnyFailureReason } from './payment-failure.ts'

export const methodTypes = ['MOBILE', 'CARD_UBA', 'CARD', 'BACM', 'AGGREGATOR', 'MOCK', 'WHITELIST'] as const
export type MethodType = (typeof methodTypes)[number]

/** Whether the payer of this method approves the payment on a phone. */
export function isPhoneMethod(type: MethodType): boolean {
  return type === 'MOBILE' || type === 'AGGREGATOR'
}

const paymentStatuses = ['SUCCESS', 'ERROR', 'IN_PROGRESS'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** A method of an aggregator: its name, or an object with its name (S38). */
const AggregatorMethod = z.pipe(
  z.union([z.string(), z.object({ name: z.string() })]),
  z.transform(method => (typeof method === 'string' ? method : method.name)),
)

/** PAY04. `type` is any text, so that the portal can skip an unknown method (S39). */
export const PaymentMethod = z.object({
  type: z.string(),
  enable: z._default(z.boolean(), false),
  fee: z.number(),
  currency: z.string(),
  methods: z._default(z.nullable(z.array(AggregatorMethod)), []),
})
export type PaymentMethod = z.output<typeof PaymentMethod>

/**
 * Another back end may send a status that the specification does not name. Every status but IN_PROGRESS ends the polling
 * (PAY27), and every ended payment but SUCCESS leads back to payment (PAY30): an unknown status counts as ERROR.
 */
const AnyPaymentStatus = z.pipe(
  z.string(),
  z.transform((sent): PaymentStatus => paymentStatuses.find(status => status === sent) ?? 'ERROR'),
)

export const Payment = z.object({
  id: PaymentId,
  orderId: asText,
  paymentStatus: AnyPaymentStatus,
  amount: z.number(),
  currency: z.string(),
  needOtp: z._default(z.nullable(z.boolean()), false),
  phoneNumber: asText,
  /** The method of the order; only this server sends it. */
  methodType: z.optional(z.enum(methodTypes)),
  /** Why the payment failed; only this server sends it. */
  failure: z.optional(AnyFailureReason),
  /** The payment is open, and the server would hold the next poll with `wait`; only this server sends it (D68). */
  mayWait: z.optional(z.boolean()),
})
export type Payment = z.output<typeof Payment>

const PaymentIdOrEmpty = z.union([PaymentId, z.literal('')])

/**
 * The answer of a call that starts a payment. An empty `id` means that no order was created (ERR14, ERR16, S37). Another back
 * end may send nothing but the id: the page of the result reads the rest.
 */
export const StartedPayment = z.extend(Payment, {
  id: z.pipe(
    z.nullish(PaymentIdOrEmpty),
    z.transform(id => id ?? ''),
  ),
  paymentStatus: z.pipe(
    z.nullish(AnyPaymentStatus),
    z.transform(status => status ?? 'IN_PROGRESS'),
  ),
  amount: z.nullish(z.number()),
  currency: z.nullish(z.string()),
  /** True when the order existed before this call, which then sent nothing to the payer. Only this server sends it. */
  isExisting: z.optional(z.boolean()),
})
export type StartedPayment = z.output<typeof StartedPayment>

/** States of a payment attempt in the case file (F1). */
export const attemptStates = ['IN_PROGRESS', 'SUCCESS', 'ERROR', 'REFUND_DUE', 'REFUNDED'] as const
export type AttemptState = (typeof attemptStates)[number]

/** Next step of a payment attempt, or its result. */
const attemptSteps = [
  /** The payer approves the payment on the phone. */
  'waiting-for-approval',
  /** The payer enters the code of the operator. */
  'waiting-for-code',
  /** The payer finishes the payment on the card page. */
  'waiting-for-card',
  /** The server queries the operator again at `nextAt`. The name has an older word, `asking`, for this query. */
  'asking-operator',
  /** The payment failed and nothing was debited. */
  'nothing-taken',
  /** The applicant canceled the order; a late success is still found (D47). */
  'canceled',
  'paid',
  'refund-due',
  'refunded',
  /** The operator sent no final answer within a day: the payer must ask the help desk. */
  'ask-help',
] as const
export type AttemptStep = (typeof attemptSteps)[number]

/** One payment attempt. Times are instants (ISO 8601, UTC). */
export const PaymentAttempt = z.object({
  id: PaymentId,
  orderNumber: z.string(),
  methodType: z.enum(methodTypes),
  /** Name of the wallet or gateway: `Orange Money`, or `Orange-Money` of an aggregator; '' when the provider names none. */
  method: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  amount: z.number(),
  currency: z.string(),
  /** The operator's reference, as in its message to the payer; '' until it is known. */
  operatorReference: z.string(),
  state: z.enum(attemptStates),
  /** All states, the oldest first; the first entry is the creation of the order. */
  history: z.array(z.object({ state: z.enum(attemptStates), at: z.string() })),
  next: z.enum(attemptSteps),
  /** Why the attempt failed. */
  failure: z.optional(AnyFailureReason),
  /** When the server queries the operator again; null when it plans no query, or the payer need not wait for it. */
  nextAt: z.nullable(z.string()),
})
export type PaymentAttempt = z.output<typeof PaymentAttempt>

/** In the `features` of `/version`: the server has `listPaymentAttempts`, the case file of an application (F1). */
export const caseFileFeature = 'caseFile'

/** In the `features` of `/version`: the server holds `readPayment` with `wait` open until the payment ends (D68). */
export const paymentWaitFeature = 'paymentWait'
/** The longest time for which the server holds the request: shorter than the interval of PAY27. */
export const paymentWaitMs = 12_000

/** In the `features` of `/version`: the applicant can cancel an open order (D47). */
export const cancelPaymentFeature = 'cancelPayment'

/**
 * Why an open order cannot be canceled now. `in-progress`: the provider may still take the money. `no-answer`: the
 * provider does not answer, so the outcome is unknown. `just-sent`: the provider may not have received the order yet.
 */
const cancelObstacles = ['in-progress', 'no-answer', 'just-sent'] as const
export type CancelObstacle = (typeof cancelObstacles)[number]

/**
 * The data of the refusal `payment-not-cancelable`; instants (ISO 8601, UTC). The refusal `payment-open` has them too
 * when the payer starts the open card order again, and its gateway knows the order already or does not answer.
 * `tryAgainAt`: when a repeated try has a chance. `until`: when the order stops blocking other methods in any case.
 */
export const CancelRefusal = z.object({
  why: z.enum(cancelObstacles),
  tryAgainAt: z.string(),
  until: z.string(),
})
export type CancelRefusal = z.output<typeof CancelRefusal>

/**
 * A page of the server, not of the portal. The card gateway redirects the payer to it by GET or POST, possibly in
 * another browser.
 */
export const cardReturnPath = '/pay/return'

/** A page of the server that serves the gateway's form once, with its own security policy. */
export const cardPagePath = '/pay/card'

/** The fields of the hidden form that the browser posts to the card gateway (PAY21). */
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
/** Another back end may send the amount and the ids as numbers. */
const CardFieldText = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform(value => String(value)),
)
export const CardForm = z.record(z.enum(cardFields), CardFieldText)

/**
 * `method` selects one of two gateways of `startCardPayment` (S39); without it the server uses CARD, or BACM when only BACM
 * is enabled. `returnUrl` is for other back ends: this server makes its own return address (D42).
 */
export const CardBody = z.object({
  returnUrl: z._default(z.string().check(z.maxLength(2_000)), ''),
  method: z.optional(z.enum(['CARD', 'BACM'])),
})

/**
 * The answer of the call that starts a card payment. `data`: an HTML page, or the fields of the hidden form (S12). This
 * server adds the payment and `page`, the URL of its own page for clients that cannot show `data`: `cardPagePath` with
 * a ticket for one use.
 */
export const CardAnswer = z.object({
  status: z.literal('Success'),
  data: z.union([z.string(), CardForm]),
  paymentId: z.optional(PaymentId),
  page: z.optional(z.string()),
})
export type CardAnswer = z.output<typeof CardAnswer>

export const PaymentCodeBody = z.object({ otp: z.string().check(z.minLength(1), z.maxLength(20)) })
