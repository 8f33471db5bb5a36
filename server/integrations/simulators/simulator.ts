import { machineClock } from '#server/config/machine-clock.ts'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * A payment in a simulated provider. `begun`: the payer must still open the card page, or enter the code of the wallet.
 */
export type SimulatedPayment = {
  orderId: string
  reference: string
  amount: number
  currency: string
  phone: string
  status: 'begun' | 'pending' | 'success' | 'failed'
  reason: string
  webhookUrl: string
  /** Where a page of the provider leads back to; '' when the provider has no page. */
  returnTo: string
  /** Milliseconds since 1970, as `now()`. A right code of the payer sets it again. */
  startedAt: number
}

export type SimulatorRequest = {
  method: string
  /** The path below the simulator's address. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}
export type SimulatorResponse = {
  status?: number
  body?: string
  headers?: Record<string, string>
  phase?: Phase
}
/** The phase of a payment that a request is about. A test can make the requests of each phase fail separately. */
type Phase = 'start' | 'status'

/** A webhook as the provider sends it. */
export type WebhookCall = {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * `broken`: answers 500 and does nothing. `refuses`: refuses to start a payment and does nothing. `garbage` and `slow`:
 * handle the request, then answer no valid JSON, or answer too late.
 */
export type SimulatorBehaviour = 'normal' | 'broken' | 'garbage' | 'slow' | 'refuses'

/** The protocol of one provider, as far as its documents tell. */
export type SimulatorProtocol = {
  answer(request: SimulatorRequest, state: SimulatorState): SimulatorResponse
  /** Returns the webhooks that the provider sends after a payment was decided; some providers repeat them. */
  webhookCalls(payment: SimulatedPayment): WebhookCall[]
}

/** The payments of one simulated provider. */
export type SimulatorState = {
  payments: Map<string, SimulatedPayment>
  behaviour: Record<Phase, SimulatorBehaviour>
  now(): number
  add(
    payment: Omit<SimulatedPayment, 'startedAt' | 'status' | 'reason'> & { status?: 'begun' | 'pending' },
  ): SimulatedPayment
  findByReference(reference: string): SimulatedPayment | undefined
  /** Returns the payment as a status query reports it: with the changes of `falseStatus`. */
  reported(payment: SimulatedPayment): SimulatedPayment
}

export type Simulator = SimulatorState & {
  /** Decides a payment as the operator or the payer would. Returns the webhooks that follow. @throws for an unknown order */
  decide(orderId: string, status: 'success' | 'failed', reason?: string): WebhookCall[]
  /** Fields that a test sets: the answers of status queries report them instead of those of the payment. */
  falseStatus: Partial<SimulatedPayment>
  answer(request: SimulatorRequest): { answer: SimulatorResponse; behaviour: SimulatorBehaviour }
}

export function createSimulator(
  protocol: SimulatorProtocol,
  now = () => machineClock.now().getTime(),
): Simulator {
  const payments = new Map<string, SimulatedPayment>()
  const simulator: Simulator = {
    payments,
    behaviour: { start: 'normal', status: 'normal' },
    falseStatus: {},
    now,
    add(payment) {
      const added = { status: 'pending' as const, reason: '', startedAt: now(), ...payment }
      payments.set(added.orderId, added)
      return added
    },
    findByReference: reference => [...payments.values()].find(payment => payment.reference === reference),
    reported: payment => ({ ...payment, ...simulator.falseStatus }),
    decide(orderId, status, reason = '') {
      const payment = payments.get(orderId)
      if (!payment) throw new Error(`The simulator knows no order ${orderId}`)
      Object.assign(payment, { status, reason })
      return protocol.webhookCalls(payment)
    },
    answer(request) {
      const { start, status } = simulator.behaviour
      // When both phases are broken, requests of no phase fail too, such as that for a token.
      if (start === 'broken' && status === 'broken') return { answer: { status: 500 }, behaviour: 'broken' }
      const before = new Map(Array.from(payments, ([id, payment]) => [id, { ...payment }]))
      const answer = protocol.answer(request, simulator)
      const behaviour = answer.phase ? simulator.behaviour[answer.phase] : 'normal'
      if (behaviour !== 'broken' && behaviour !== 'refuses') return { answer, behaviour }
      payments.clear()
      for (const [id, payment] of before) payments.set(id, payment)
      return { answer: behaviour === 'broken' ? { status: 500 } : answer, behaviour }
    },
  }
  return simulator
}
