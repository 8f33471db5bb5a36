import type { Language } from '#contract/codes.ts'
import type { MethodType } from '#contract/payment.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import type { ProblemCode } from '#contract/problems.ts'

/** An order as a provider gets it. The server stores the order before it sends it. */
export type PaymentOrder = {
  paymentId: string
  /** The portal's order number, which the provider also stores. */
  orderId: string
  /** In whole units of the currency, as every provider expects it: 110000 is 110,000 francs (D15). */
  amount: number
  currency: string
  /** Digits of the payer's number; the portal sends the country code first, other clients may not. '' without one. */
  phone: string
  /** The wallet or gateway that handles the order; '' when the provider has no `channelOf`. */
  channel: string
  /** The provider's reference of the payment; undefined until the provider gives one. */
  reference: string | undefined
  /** The address to which a card page redirects the payer. */
  returnTo: string
  language: Language
  orderedAt: Date
}

/**
 * The payer's data that only an aggregator needs. The server stores `paymentMethod`, the name of the wallet, as the channel of
 * the order, but never the name or the code. `code`: the code that some wallets give the payer before the order, or ''.
 */
export type Payer = { name: string; paymentMethod: string; code: string }

/**
 * The gateway's form, which the payer's browser posts. `html` is the gateway's page with the form, if there is one; the answer
 * to the payment call has it unchanged.
 */
export type GatewayForm = { url: string; fields: { name: string; value: string }[]; html: string | undefined }

/**
 * No valid response: the outcome at the provider is unknown. After `prepare` the order fails, because no money can have
 * moved. After `start` of a card the order ends for lack of a form (start-card.ts), after all other calls the order
 * stays open; either way the server queries its status later (D42). `reason`: for the log.
 */
export type Unknown = { kind: 'unknown'; reason?: string }

/**
 * `noAnswer`: the order is refused because the provider gave no valid answer to a request before the one with which
 * money can move. For the log.
 */
export type StartOutcome =
  | { kind: 'accepted'; reference: string | undefined; needsPayerCode: boolean; form?: GatewayForm }
  | { kind: 'refused'; problem: ProblemCode; failure?: FailureReason; noAnswer?: string }
  | Unknown

/**
 * A success counts only with the stored amount, currency and order number. `missing`: the provider states that it has
 * never seen the order, or that the payer has not sent the card form yet. `reason`: the provider's own code or text;
 * `failure`: what it means to the payer. `needsPayerCode`: the provider waits for the code that it has sent to the payer.
 */
export type ProviderStatus =
  | { kind: 'success'; orderId: string; amount: number; currency: string; operatorReference?: string }
  | { kind: 'failed'; reason: string; failure: FailureReason }
  | { kind: 'pending'; needsPayerCode?: boolean }
  | { kind: 'missing' }
  | Unknown

export type CodeOutcome = { kind: 'accepted' } | { kind: 'refused'; problem: ProblemCode } | Unknown

/** A webhook as it arrived. `body` is the unchanged body as text, because the signature covers it. */
export type WebhookRequest = {
  query: Record<string, string>
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** The payment that a webhook names. A webhook proves nothing more, so the server queries the provider (D42). */
export type WebhookReading =
  | { kind: 'payment'; orderId: string }
  | { kind: 'payment'; reference: string }
  /** The signature is missing or wrong. */
  | { kind: 'forged' }
  /** The webhook names no payment, so the server ignores it. */
  | { kind: 'no-payment' }

/** One payment provider. Its methods may throw; the caller treats an error as `unknown`. */
export type PaymentProvider = {
  /**
   * Returns the name of the wallet or gateway that handles an order of this payer: the `channel` of the order. Undefined when
   * the payer named a wallet that the provider does not have: then no order may begin.
   */
  channelOf?(phone: string, payer: Payer | undefined): string | undefined
  /** Opens the payment where a provider requires this before `start`. The server then stores the reference. No money moves. */
  prepare?(order: PaymentOrder): Promise<{ kind: 'prepared'; reference: string } | Unknown>
  start(order: PaymentOrder, payer: Payer | undefined): Promise<StartOutcome>
  queryStatus(order: PaymentOrder): Promise<ProviderStatus>
  /** Only for a provider that sends the payer a code (PAY18). */
  confirmCode?(order: PaymentOrder, code: string): Promise<CodeOutcome>
  /** The wallets that a payer can choose between (PAY12). */
  wallets?: readonly string[]
  /** True when the payer pays with a form, which the server returns again until the payer has sent it. */
  isCard?: boolean
  /**
   * True when the provider has no operator that refuses a second order of the same amount within a minute. The server then
   * limits neither the orders of one number nor how often a poll queries the status.
   */
  hasNoOperator?: boolean
}

export type PaymentProviders = Partial<Record<MethodType, PaymentProvider>>
