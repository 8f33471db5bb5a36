import type { Services } from '#server/calls/services.ts'
import { budgetOf } from './code-budget.ts'
import { type Demand, demandOf, hardest, type Work, workOfCount } from './code-demand-rule.ts'
import { networksOf } from '#server/calls/networks.ts'
import type { CodeRequest, ContactLimit } from './send-limits.ts'
import { type Counted, type Counter, countUp, readCounts } from '#server/database/usage-counts.ts'
import { requiresCaptcha } from './watch-code-use.ts'

/** A near network has one customer, a wide one many: without a captcha the wide one gets this many times as many codes. */
const wideNetworkFactor = 10

/**
 * Returns how hard a puzzle the server demands before it sends this code, and whether the budget is spent for this
 * browser.
 */
export async function findDemand(
  services: Services,
  request: CodeRequest,
  ofContact: ContactLimit,
): Promise<Demand> {
  const { config, db } = services
  const { counter, total } = budgetOf(config, request.contact)
  const used = [
    ...networkUses(services, request.address, 'network'),
    ...networkUses(services, request.address, 'wrong codes'),
  ]
  const counts = await readCounts(db, [counter, ...used.map(each => each.counter)])
  return demandOf({
    ofContact,
    ofNetworks: workOfNetworks(used, counts),
    hasFewUsed: await requiresCaptcha(db, request.contact.dialCode),
    spent: counts.get(counter.key) ?? 0,
    total,
  })
}

/** Counts a code for its networks. Returns the work that the codes before this one demand. */
export async function countForNetworks(
  services: Services,
  address: string,
): Promise<{ counted: Counted[]; work: Work }> {
  const used = networkUses(services, address, 'network')
  const counts = await countUp(
    services.db,
    used.map(each => each.counter),
  )
  const counted = [...counts.values()]
  const before = new Map(counted.map(({ key, count }) => [key, count - 1]))
  return { counted, work: workOfNetworks(used, before) }
}

/**
 * Counts a wrong code, or a wrong answer about a dormant account (D122), for the networks of its sender. After too many
 * in an hour, each code for the networks needs a captcha (D91).
 */
export async function countWrongCode(services: Services, address: string): Promise<void> {
  const used = networkUses(services, address, 'wrong codes')
  await countUp(
    services.db,
    used.map(each => each.counter),
  )
}

/** A counter of a network, and how many codes, or wrong codes, it may count before a captcha. */
type NetworkUse = { counter: Counter; free: number }

function networkUses(services: Services, address: string, subject: 'network' | 'wrong codes'): NetworkUse[] {
  const networks = networksOf(services, address)
  if (!networks) return []
  const { networkCodesPerHour } = services.config
  const use = (network: string, free: number): NetworkUse => ({
    counter: { key: `${subject} ${network}`, window: 'hour' },
    free,
  })
  return [
    use(networks.near, networkCodesPerHour),
    use(networks.wide, wideNetworkFactor * networkCodesPerHour),
  ]
}

function workOfNetworks(used: readonly NetworkUse[], counts: ReadonlyMap<string, number>): Work {
  return hardest(used.map(({ counter, free }) => workOfCount(counts.get(counter.key) ?? 0, free)))
}
