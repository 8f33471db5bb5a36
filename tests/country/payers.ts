import { mtnAccount } from '#server/integrations/simulators/mtn-simulator.ts'
import { cinetPayAccount } from '#server/integrations/simulators/cinetpay-simulator.ts'
import type { WebhookCall } from '#server/integrations/simulators/simulator.ts'
import { startSimulators } from '#server/integrations/simulators/start-simulators.ts'

/**
 * The simulated MTN MoMo and its payers, who approve after some seconds, except those with `neverApprovingPrefix`. Two card
 * gateways, whose pages no payer opens, run beside it.
 */
export type Payers = {
  /** The environment variables with which a server uses these providers. */
  environment: Record<string, string>
  /** How many requests MTN MoMo got: orders and status queries. */
  counts(): { orders: number; statusQueries: number }
  /** The orders that the payers have paid. */
  paidOrders(): string[]
  /** True: no provider answers, and no payer approves. False: closes the connections that wait for an answer. */
  hang(isHanging: boolean): void
  close(): Promise<void>
}

/** Payers whose numbers begin with these digits never approve. */
export const neverApprovingPrefix = '237651'

const approvalMs = { least: 1_000, most: 4_000 }

/** Paths of MTN MoMo. */
const orderPath = /\/requesttopay$/
const statusPath = /\/requesttopay\/.+$/

/** `portal`: the portal's address, for webhooks of Collect only. Each order of MTN MoMo names the address of its webhook. */
export async function startPayers(portal: string): Promise<Payers> {
  let isHanging = false
  const unanswered: (() => void)[] = []
  const counts = { orders: 0, statusQueries: 0 }
  const started = await startSimulators({
    portal,
    deliver: () => undefined,
    watch: (_name, path, moment) => {
      if (moment !== 'received') return undefined
      if (orderPath.test(path)) counts.orders += 1
      else if (statusPath.test(path)) counts.statusQueries += 1
      return isHanging ? new Promise(resolve => unanswered.push(() => resolve('lost'))) : undefined
    },
  })
  const { origin } = started
  const { mtn } = started.simulators
  const paid = new Set<string>()
  const approvesAt = new Map<string, number>()
  const timer = setInterval(() => {
    if (isHanging) return
    for (const { orderId, status, phone } of mtn.payments.values()) {
      if (status !== 'pending' || phone.startsWith(neverApprovingPrefix)) continue
      const dueMs =
        approvesAt.get(orderId) ??
        performance.now() + approvalMs.least + Math.random() * (approvalMs.most - approvalMs.least)
      approvesAt.set(orderId, dueMs)
      if (performance.now() < dueMs) continue
      paid.add(orderId)
      sendWebhooks(mtn.decide(orderId, 'success'))
    }
  }, 200)

  /** Closes the connection of each waiting request without an answer. */
  function dropAll(): void {
    for (const drop of unanswered.splice(0)) drop()
  }
  return {
    environment: {
      MTN_MOMO_URL: `${origin}/mtn`,
      MTN_MOMO_KEY: mtnAccount.subscriptionKey,
      MTN_MOMO_USER: mtnAccount.user,
      MTN_MOMO_API_KEY: mtnAccount.apiKey,
      MTN_MOMO_TARGET: mtnAccount.target,
      CINETPAY_URL: `${origin}/cinetpay`,
      CINETPAY_PAGE_URL: `${origin}/cinetpay/page`,
      CINETPAY_KEY: cinetPayAccount.apiKey,
      CINETPAY_SITE: cinetPayAccount.siteId,
      CINETPAY_SECRET: cinetPayAccount.secret,
      UBA_URL: `${origin}/uba`,
      UBA_PAGE_URL: `${origin}/uba/page`,
      UBA_MERCHANT: 'sim-uba',
      UBA_SECRET: 'sim-uba-secret',
    },
    counts: () => ({ ...counts }),
    paidOrders: () => [...paid],
    hang(hanging) {
      isHanging = hanging
      if (!hanging) dropAll()
    },
    async close() {
      clearInterval(timer)
      dropAll()
      await started.close()
    },
  }
}

/** Sends each webhook once, without waiting for its answer, as MTN does. */
function sendWebhooks(calls: WebhookCall[]): void {
  for (const { url, method, headers, body } of calls)
    void fetch(url, { method, headers, body }).catch(() => undefined)
}
