import { mtnAccount } from '#server/integrations/simulators/mtn-simulator.ts'
import type { WebhookCall } from '#server/integrations/simulators/simulator.ts'
import { startSimulators } from '#server/integrations/simulators/start-simulators.ts'

/** The payers of MTN MoMo, who all approve after some seconds. The simulator speaks the provider's protocol. */
export type Payers = {
  /** The environment variables with which a server uses this provider. */
  environment: Record<string, string>
  /** The orders that the payers have paid. */
  paidOrders(): string[]
  /** True: the provider accepts connections and never answers, and no payer approves. */
  silence(isSilent: boolean): void
  close(): Promise<void>
}

const approvalMs = { least: 1_000, most: 4_000 }

/** `portal`: the address that gets the webhooks. */
export async function startPayers(portal: string): Promise<Payers> {
  let isSilent = false
  const unanswered: (() => void)[] = []
  const started = await startSimulators({
    portal,
    deliver: () => undefined,
    watch: (_name, _path, moment) =>
      isSilent && moment === 'asked'
        ? new Promise(resolve => unanswered.push(() => resolve('lost')))
        : undefined,
  })
  const { origin } = started
  const { mtn } = started.simulators
  const paid = new Set<string>()
  const approvesAt = new Map<string, number>()
  const timer = setInterval(() => {
    if (isSilent) return
    for (const { orderId, status } of mtn.payments.values()) {
      if (status !== 'pending') continue
      const dueMs =
        approvesAt.get(orderId) ??
        performance.now() + approvalMs.least + Math.random() * (approvalMs.most - approvalMs.least)
      approvesAt.set(orderId, dueMs)
      if (performance.now() < dueMs) continue
      paid.add(orderId)
      sendWebhooks(mtn.decide(orderId, 'success'))
    }
  }, 200)

  function answerAll(): void {
    for (const answer of unanswered.splice(0)) answer()
  }
  return {
    environment: {
      MTN_MOMO_URL: `${origin}/mtn`,
      MTN_MOMO_KEY: mtnAccount.subscriptionKey,
      MTN_MOMO_USER: mtnAccount.user,
      MTN_MOMO_API_KEY: mtnAccount.apiKey,
      MTN_MOMO_TARGET: mtnAccount.target,
    },
    paidOrders: () => [...paid],
    silence(silent) {
      isSilent = silent
      if (!silent) answerAll()
    },
    async close() {
      clearInterval(timer)
      answerAll()
      await started.close()
    },
  }
}

/** Once and without waiting for the answer, as MTN does. */
function sendWebhooks(calls: WebhookCall[]): void {
  for (const { url, method, headers, body } of calls)
    void fetch(url, { method, headers, body }).catch(() => undefined)
}
