import type { WebhookCall, SimulatedPayment, Simulator } from './simulator.ts'
import { startSimulators, type Simulators } from './start-simulators.ts'

/** How payers behave in the demo, by the last two digits of their number, as in MTN's sandbox. Times are seconds. */
const behaviours: Record<
  string,
  { afterSeconds: number; outcome: 'success' | 'failed'; reason?: string; succeedsAfterSeconds?: number }
> = {
  '50': { afterSeconds: 4, outcome: 'failed', reason: 'NOT_ENOUGH_FUNDS' },
  '51': { afterSeconds: 4, outcome: 'failed', reason: 'APPROVAL_REJECTED' },
  '52': { afterSeconds: 20, outcome: 'failed', reason: 'EXPIRED' },
  // Never answers.
  '53': { afterSeconds: Infinity, outcome: 'failed' },
  '54': { afterSeconds: 45, outcome: 'success' },
  // Fails, and succeeds half a minute later.
  '55': { afterSeconds: 4, outcome: 'failed', reason: 'EXPIRED', succeedsAfterSeconds: 34 },
}
/** The lifetimes of a code that the payer has not entered, and of an opened card page on which the payer has not decided. */
const [codeLifetimeSeconds, cardPageLifetimeSeconds] = [900, 1_800]
const usual = { afterSeconds: 4, outcome: 'success' } as const

/**
 * Starts the simulators of the demo. Simulated payers approve after some seconds, unless `behaviours` says otherwise; webhooks
 * are real HTTP requests.
 */
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

/** Undefined while nothing changes. The buttons of the card page decide card payments, which have no phone number. */
function outcomeOf({ phone, status }: SimulatedPayment, ageSeconds: number) {
  const expired = { status: 'failed', reason: 'EXPIRED' } as const
  if (phone === '') return status === 'pending' && ageSeconds >= cardPageLifetimeSeconds ? expired : undefined
  if (status === 'begun') return ageSeconds >= codeLifetimeSeconds ? expired : undefined
  const { afterSeconds, outcome, reason, succeedsAfterSeconds } = {
    succeedsAfterSeconds: undefined,
    reason: '',
    ...(behaviours[phone.slice(-2)] ?? usual),
  }
  if (status === 'failed' && succeedsAfterSeconds !== undefined && ageSeconds >= succeedsAfterSeconds)
    return { status: 'success', reason: '' } as const
  return status === 'pending' && ageSeconds >= afterSeconds ? { status: outcome, reason } : undefined
}

/** Sends webhooks as a provider does: without waiting for the response or reading it. */
function send(webhooks: WebhookCall[]): void {
  void Promise.allSettled(
    webhooks.map(({ url, method, headers, body }) =>
      fetch(url, { method, headers, ...(method === 'GET' ? {} : { body }) }),
    ),
  )
}
