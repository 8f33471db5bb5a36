import type { Language } from '#contract/codes.ts'
import type { MethodType } from '#contract/payment.ts'
import type { ProblemCode } from '#contract/problems.ts'

/** An order as it is already stored when a provider first hears of it. */
export type PaymentOrder = {
  paymentId: string
  /** Our own number of the order, by which a provider knows it too. */
  orderId: string
  amount: number
  currency: string
  /** Digits of the payer's number, country code first; '' when none was asked for. */
  phone: string
  /** The wallet or gateway that the order was given to. */
  channel: string
  /** What the provider called the payment when it took it. */
  reference: string | undefined
  /** Where a card page brings the payer back to. */
  returnTo: string
  language: Language
  orderedAt: Date
}

/** What only an aggregator asks for; never stored. */
export type Payer = { name: string; paymentMethod: string; code: string }

/** The gateway's form, which the payer's browser sends on. `html` is the page that it came in, if it came in one. */
export type GatewayForm = { url: string; fields: { name: string; value: string }[]; html: string | undefined }

/** `unknown`: no answer, or none we understand. The order stays open and is asked about (D42). */
export type StartOutcome =
  | { kind: 'accepted'; reference: string | undefined; needCode: boolean; form?: GatewayForm }
  | { kind: 'refused'; problem: ProblemCode }
  | { kind: 'unknown' }

/**
 * A success counts only with the amount, currency and order that we stored. `missing`: the provider is certain that
 * it has never seen the order.
 */
export type ProviderStatus =
  | { kind: 'success'; orderId: string; amount: number; currency: string; operatorReference?: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'pending' }
  | { kind: 'missing' }
  | { kind: 'unknown' }

export type CodeOutcome = { kind: 'taken' } | { kind: 'refused'; problem: ProblemCode } | { kind: 'unknown' }

/** A call-back as it came in. `body` is what was sent, byte for byte, as text. */
export type WebhookRequest = {
  query: Record<string, string>
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Which payment a call-back is about. It says no more than that: what is true is asked (D42). */
export type WebhookReading =
  | { kind: 'about'; orderId: string }
  | { kind: 'about'; reference: string }
  /** The signature is missing or wrong. */
  | { kind: 'forged' }
  | { kind: 'nothing' }

/** One way to be paid. A provider may throw: that is an `unknown`. */
export type PaymentProvider = {
  /** The wallet or gateway that takes an order of this payer, by its own name. */
  channelOf?(phone: string, payer: Payer | undefined): string
  /** Where a payment must be opened before it can be asked for: its name there, stored before `start`. No money moves. */
  prepare?(order: PaymentOrder): Promise<{ kind: 'prepared'; reference: string } | { kind: 'unknown' }>
  start(order: PaymentOrder, payer: Payer | undefined): Promise<StartOutcome>
  status(order: PaymentOrder): Promise<ProviderStatus>
  /** Only where the provider sends the payer a code (PAY18). */
  confirmCode?(order: PaymentOrder, code: string): Promise<CodeOutcome>
  /** The wallets that a payer can choose between (PAY12). */
  wallets?: readonly string[]
  /** A form is handed out again for the same order, until the payer has sent it. */
  isCard?: boolean
  /** No operator is behind it that could refuse the same amount twice in a minute. */
  isImmediate?: boolean
}

export type PaymentProviders = Partial<Record<MethodType, PaymentProvider>>
