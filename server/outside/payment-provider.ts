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
  /** What the provider called the payment when it took it. */
  reference: string | undefined
}

/** What only an aggregator asks for; never stored. */
export type Payer = { name: string; paymentMethod: string; code: string }

/** `unknown`: no answer, or none we understand. The order stays open and is asked about (D42). */
export type StartOutcome =
  | { kind: 'accepted'; reference: string | undefined; needCode: boolean }
  | { kind: 'refused'; problem: ProblemCode }
  | { kind: 'unknown' }

/** A success counts only with the amount, currency and order that we stored. */
export type ProviderStatus =
  | { kind: 'success'; orderId: string; amount: number; currency: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'pending' }
  | { kind: 'unknown' }

export type CodeOutcome = { kind: 'taken' } | { kind: 'refused'; problem: ProblemCode } | { kind: 'unknown' }

/** One way to be paid. A provider may throw: that is an `unknown`. */
export type PaymentProvider = {
  start(order: PaymentOrder, payer: Payer | undefined): Promise<StartOutcome>
  status(order: PaymentOrder): Promise<ProviderStatus>
  /** Only where the provider sends the payer a code (PAY18). */
  confirmCode?(order: PaymentOrder, code: string): Promise<CodeOutcome>
}

export type PaymentProviders = Partial<Record<MethodType, PaymentProvider>>
