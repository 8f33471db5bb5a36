import type { ProblemCode } from '#contract/problems.ts'
import { type PuzzleWork, puzzleWorks } from './captcha.ts'
import { captchaShare, type CodeTaker, isSpentFor, reserveShare } from './code-budget.ts'

/** How hard the puzzle is that the server demands before it sends a code; 0: none. */
export type Work = 0 | PuzzleWork

/** What the server demands before it sends a code. */
export type Demand = {
  work: Work
  problem: ProblemCode
  /** The budget of the contact has no code left today for this browser, even if the contact has an account. */
  isSpent: boolean
}

/** What the counters say when a code is requested. */
export type CodeCounts = {
  ofContact: { work: Work; isKnownBrowser: boolean }
  ofNetworks: Work
  /** Few of the last codes to this country code were used. */
  hasFewUsed: boolean
  spent: number
  total: number
}

/** Decides by the contact, the networks and the budget. The demand is the same for contacts with and without an account. */
export function demandOf({ ofContact, ofNetworks, hasFewUsed, spent, total }: CodeCounts): Demand {
  const { isKnownBrowser } = ofContact
  const work = hardest([ofContact.work, hasFewUsed ? 1 : 0, isKnownBrowser ? 0 : workOfBudget(spent / total)])
  return {
    work: hardest([work, ofNetworks]),
    problem: work > 0 ? 'captcha-needed' : 'too-many-from-network',
    isSpent: isSpentFor(isKnownBrowser, { spent, total }),
  }
}

/** From `free` codes on the work doubles each time the count is four times as high. */
export function workOfCount(count: number, free: number): Work {
  if (count < free) return 0
  const doublings = Math.floor(Math.log2(count / free) / 2)
  return puzzleWorks[Math.min(doublings, puzzleWorks.length - 1)] ?? 1
}

function workOfBudget(spentShare: number): Work {
  if (spentShare >= reserveShare) return 4
  return spentShare >= captchaShare ? 2 : 0
}

export function hardest(works: readonly Work[]): Work {
  return works.reduce((most, work) => (work > most ? work : most), 0)
}

/** `isSecret`: the answer must not say whether there is a recipient. */
type Sending = CodeTaker & { isSecret: boolean }

/**
 * What the answer says after `useBudget`. Requests at the same time may have used the last codes of the budget. Then
 * only an owner in a known browser gets the refusal: in another browser it would reveal that there is an account.
 * `isReserved`: a contact without an account gets no code now, and the answer may say so.
 */
export function answerOfBudget(
  counted: { isCounted: boolean; isReserved: boolean },
  { hasAccount, isKnownBrowser, isSecret }: Sending,
): { isRefused: boolean; isReserved: boolean } {
  return {
    isRefused: !counted.isCounted && hasAccount && isKnownBrowser && !isSecret,
    isReserved: counted.isReserved && !isSecret,
  }
}

/** With fewer codes the share of used codes is not reliable. */
const minCodesForVerdict = 20
const minUsedShare = 0.3

/** Whether so few codes were used that they probably do not arrive, or earn money for an attacker (SMS pumping). */
export function areFewUsed({ sent, used }: { sent: number; used: number }): boolean {
  return sent >= minCodesForVerdict && used / sent < minUsedShare
}
