import type { ProblemCode } from '#contract/problems.ts'
import type { Services } from '#server/calls/services.ts'
import { type PuzzleWork, puzzleWorks } from './captcha.ts'
import { budgetOf, captchaShare, isSpentFor, reserveShare } from './code-budget.ts'
import { networksOf } from '#server/calls/networks.ts'
import type { CodeRequest, ContactLimit } from './send-limits.ts'
import { type Counter, countUp, readCounts } from '#server/database/usage-counts.ts'
import { requiresCaptcha } from './watch-code-use.ts'

/** What the server demands before it sends a code. `work` is 0 when it demands nothing. */
export type Demand = {
  work: 0 | PuzzleWork
  problem: ProblemCode
  /** The budget of the contact's channel has no code left today for this browser. */
  isSpent: boolean
}

/** A wide network holds many customers, so it gets this many times as many codes as an address before a captcha. */
const wideNetworkFactor = 10

/** Decides by the contact, the networks and the budget. The demand is the same for known and unknown contacts. */
export async function findDemand(
  services: Services,
  request: CodeRequest,
  limit: ContactLimit,
): Promise<Demand> {
  const { config, db } = services
  const { counter, total } = budgetOf(config, request.contact)
  const used = [
    ...networkUses(services, request.address, 'network'),
    ...networkUses(services, request.address, 'wrong codes'),
  ]
  const counts = await readCounts(db, [counter, ...used.map(each => each.counter)])
  const spent = counts.get(counter.key) ?? 0
  const isWatched = await requiresCaptcha(db, request.contact.dialCode)
  const ofContact = hardest([
    limit.work,
    isWatched ? 1 : 0,
    limit.isKnownBrowser ? 0 : workOfBudget(spent / total),
  ])
  return {
    work: hardest([ofContact, workOfNetworks(used, counts)]),
    problem: ofContact > 0 ? 'captcha-needed' : 'too-many-from-network',
    isSpent: isSpentFor(limit.isKnownBrowser, { spent, total }),
  }
}

/** Counts a code for its networks. Returns the work that the codes before this one demand. */
export async function countForNetworks(
  services: Services,
  address: string,
): Promise<{ counters: Counter[]; work: Demand['work'] }> {
  const used = networkUses(services, address, 'network')
  const counters = used.map(each => each.counter)
  const counts = await countUp(services.db, counters)
  const before = new Map([...counts].map(([key, count]) => [key, count - 1]))
  return { counters, work: workOfNetworks(used, before) }
}

/** Counts a wrong code for the networks of its sender, who then needs a captcha for the next codes (D91). */
export async function countWrongCode(services: Services, address: string): Promise<void> {
  const used = networkUses(services, address, 'wrong codes')
  await countUp(
    services.db,
    used.map(each => each.counter),
  )
}

/** A counter of a network, and the count from which on its codes need a captcha. */
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

function workOfNetworks(used: readonly NetworkUse[], counts: ReadonlyMap<string, number>): Demand['work'] {
  return hardest(used.map(({ counter, free }) => workOfCount(counts.get(counter.key) ?? 0, free)))
}

/** The work doubles each time the count is four times as high. */
function workOfCount(count: number, free: number): Demand['work'] {
  if (count < free) return 0
  const doublings = Math.floor(Math.log2(count / free) / 2)
  return puzzleWorks[Math.min(doublings, puzzleWorks.length - 1)] ?? 1
}

function workOfBudget(spentShare: number): Demand['work'] {
  if (spentShare >= reserveShare) return 4
  return spentShare >= captchaShare ? 2 : 0
}

function hardest(works: readonly Demand['work'][]): Demand['work'] {
  return works.reduce((most, work) => (work > most ? work : most), 0)
}
