import type { WebhookCall, SimulatedPayment, Simulator } from './simulator.ts'
import { startSimulators, type Simulators } from './start-simulators.ts'

/** How payers behave in the demo, by the last two digits of their number, much as in MTN's own sandbox. */
const behaviours: Record<
  string,
  { after: number; outcome: 'success' | 'failed'; reason?: string; succeedsAfter?: number }
> = {
  '50': { after: 4, outcome: 'failed', reason: 'NOT_ENOUGH_FUNDS' },
  '51': { after: 4, outcome: 'failed', reason: 'APPROVAL_REJECTED' },
  '52': { after: 20, outcome: 'failed', reason: 'EXPIRED' },
  // Never answers.
  '53': { after: Infinity, outcome: 'failed' },
  '54': { after: 45, outcome: 'success' },
  // Fails, and succeeds half a minute later.
  '55': { after: 4, outcome: 'failed', reason: 'EXPIRED', succeedsAfter: 34 },
}
const usual = { after: 4, outcome: 'success' } as const

/** The simulators of the demo: payers who approve by themselves, call-backs that really travel. */
export async function startDemoSimulators(portal: string): Promise<Simulators> {
  const started = await startSimulators({ portal, deliver: send })
  const timer = setInterval(() => {
    for (const simulator of Object.values(started.simulators)) decideDue(simulator)
  }, 1_000)
  timer.unref()
  return {
    ...started,
    close: () => {
      clearInterval(timer)
      return started.close()
    },
  }
}

function decideDue(simulator: Simulator): void {
  for (const payment of simulator.payments.values()) {
    const outcome = outcomeOf(payment, (simulator.now() - payment.startedAt) / 1_000)
    if (outcome) send(simulator.decide(payment.orderId, outcome.status, outcome.reason))
  }
}

/** Cards are decided by the buttons of their page. */
function outcomeOf({ phone, status }: SimulatedPayment, age: number) {
  if (phone === '') return undefined
  const { after, outcome, reason, succeedsAfter } = {
    succeedsAfter: undefined,
    reason: '',
    ...(behaviours[phone.slice(-2)] ?? usual),
  }
  if (status === 'failed' && succeedsAfter !== undefined && age >= succeedsAfter)
    return { status: 'success', reason: '' } as const
  return status === 'pending' && age >= after ? { status: outcome, reason } : undefined
}

/** As a provider does: sent, and not looked after. */
function send(callBacks: WebhookCall[]): void {
  void Promise.allSettled(
    callBacks.map(({ url, method, headers, body }) =>
      fetch(url, { method, headers, ...(method === 'GET' ? {} : { body }) }),
    ),
  )
}
