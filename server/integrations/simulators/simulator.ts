import { machineClock } from '#server/config/machine-clock.ts'
import type { IncomingHttpHeaders } from 'node:http'

/** A payment as a simulated provider keeps it. `begun`: a card page was asked for and nobody has paid on it yet. */
export type SimulatedPayment = {
  orderId: string
  reference: string
  amount: number
  currency: string
  phone: string
  status: 'begun' | 'pending' | 'success' | 'failed'
  reason: string
  webhookUrl: string
  returnTo: string
  startedAt: number
}

export type SimulatorRequest = {
  method: string
  /** Below the simulator's own address. */
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
/** What kind of question it was: each can be made to go wrong by itself. */
export type Phase = 'start' | 'status'

/** A call-back as the provider would send it. */
export type WebhookCall = {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

/** `broken`: 500 and nothing done. The others do what was asked, and then answer rubbish, too late, or a refusal. */
export type SimulatorBehaviour = 'well' | 'broken' | 'garbage' | 'slow' | 'refuses'

/** The documented protocol of one provider, as strict as the real one. */
export type SimulatorProtocol = {
  answer(asked: SimulatorRequest, ledger: Ledger): SimulatorResponse
  /** What it sends when a payment has been decided; some send it again and again. */
  webhookCalls(payment: SimulatedPayment): WebhookCall[]
}

export type Ledger = {
  payments: Map<string, SimulatedPayment>
  behaviour: Record<Phase, SimulatorBehaviour>
  now(): number
  add(
    payment: Omit<SimulatedPayment, 'startedAt' | 'status' | 'reason'> & { status?: 'begun' | 'pending' },
  ): SimulatedPayment
  byReference(reference: string): SimulatedPayment | undefined
  /** As a status question is to be answered: a test can bend it. */
  shown(payment: SimulatedPayment): SimulatedPayment
}

export type Simulator = Ledger & {
  /** What the operator or the payer does next; gives the call-backs that follow. */
  decide(orderId: string, status: 'success' | 'failed', reason?: string): WebhookCall[]
  /** Bends what status questions are answered. */
  bend: Partial<SimulatedPayment>
  answer(asked: SimulatorRequest): { answer: SimulatorResponse; behaviour: SimulatorBehaviour }
}

export function createSimulator(
  protocol: SimulatorProtocol,
  now = () => machineClock.now().getTime(),
): Simulator {
  const payments = new Map<string, SimulatedPayment>()
  const simulator: Simulator = {
    payments,
    behaviour: { start: 'well', status: 'well' },
    bend: {},
    now,
    add(payment) {
      const added = { status: 'pending' as const, reason: '', startedAt: now(), ...payment }
      payments.set(added.orderId, added)
      return added
    },
    byReference: reference => [...payments.values()].find(payment => payment.reference === reference),
    shown: payment => ({ ...payment, ...simulator.bend }),
    decide(orderId, status, reason = '') {
      const payment = payments.get(orderId)
      if (!payment) throw new Error(`The simulator knows no order ${orderId}`)
      Object.assign(payment, { status, reason })
      return protocol.webhookCalls(payment)
    },
    answer(asked) {
      const { start, status } = simulator.behaviour
      // Whichever way it is asked, a broken provider does nothing.
      if (start === 'broken' && status === 'broken') return { answer: { status: 500 }, behaviour: 'broken' }
      const before = new Map(Array.from(payments, ([id, payment]) => [id, { ...payment }]))
      const answer = protocol.answer(asked, simulator)
      const behaviour = answer.phase ? simulator.behaviour[answer.phase] : 'well'
      if (behaviour !== 'broken' && behaviour !== 'refuses') return { answer, behaviour }
      payments.clear()
      for (const [id, payment] of before) payments.set(id, payment)
      return { answer: behaviour === 'broken' ? { status: 500 } : answer, behaviour }
    },
  }
  return simulator
}
