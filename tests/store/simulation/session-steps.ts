import type { RandomSource } from '#support/random-source.ts'
import { hangMoments } from './hanging-writes.ts'
import { wait } from './newer-steps.ts'
import type { LineFault, PhoneName, Step } from './story.ts'
import { type TabName, tabNames, typedFields } from './story-names.ts'

/** From this seed on, the pages have real sessions, and a second applicant signs in on the same phones. */
export const firstSessionSeed = 100_000_000

/** Ada signs in on both phones, and says on each whether others use it. */
export function writeFirstSignIns(chance: RandomSource): Step[] {
  return (['A1', 'B1'] as const).flatMap(tab => [
    signIn(chance, tab, { applicantId: 'ada', hasGoodLine: true }),
    wait(5_000),
  ])
}

/** Returns no step in most turns: then the turn has an act of another kind. */
export function writeSessionActs(chance: RandomSource, turn: number): Step[] {
  if (chance.below(4) > 0) return []
  const tab = chance.pick(tabNames)
  const next = chance.pick(neighboursOf(tab))
  const typed = writeTyping(chance, tab, turn)
  const pause = wait(chance.below(chance.pick([200, 2_000, 20_000])))
  const isOther = chance.below(3) > 0
  const signInSteps: Step[] = [
    signIn(chance, next, { applicantId: isOther ? 'ben' : 'ada', hasGoodLine: false }),
    wait(chance.below(chance.pick([4_000, 20_000]))),
    type(chance, next, turn + 100),
  ]
  const returnSteps: Step[] =
    isOther && chance.below(2) === 0 ? writeReturn(chance, { tab: next, back: tab }) : []
  const logOut = writeLogOut(chance, tab)
  switch (chance.below(8)) {
    case 0:
      return [...typed, logOut]
    case 1:
      // The sign-in pages are open during a session (S50).
      return [...typed, pause, ...signInSteps, ...returnSteps]
    case 2:
      return [
        logOut,
        pause,
        { kind: 'sign in as', tab, applicantId: 'ada', isShared: false, fault: undefined },
      ]
    default:
      return [...typed, logOut, pause, ...signInSteps, ...returnSteps]
  }
}

function writeReturn(chance: RandomSource, { tab, back }: { tab: TabName; back: TabName }): Step[] {
  return [
    wait(chance.below(chance.pick([400, 4_000, 40_000]))),
    writeLogOut(chance, tab),
    wait(chance.below(chance.pick([400, 4_000]))),
    signIn(chance, back, { applicantId: 'ada', hasGoodLine: false }),
  ]
}

/** What the applicant types last: nothing, one answer, or two answers, the second while the write of the first hangs. */
function writeTyping(chance: RandomSource, tab: TabName, turn: number): Step[] {
  const typed = [...writeBadLine(chance, tab), type(chance, tab, turn)]
  switch (chance.below(5)) {
    case 0:
    case 1:
      return []
    case 2:
      return [
        { kind: 'hang', tab, moment: chance.pick(hangMoments), forMs: chance.pick([2_000, 6_000, 15_000]) },
        ...typed,
        wait(400),
        type(chance, tab, turn + 300),
      ]
    default:
      return typed
  }
}

/** So that a log-out finds answers that cannot be sent. */
function writeBadLine(chance: RandomSource, tab: TabName): Step[] {
  if (chance.below(2) === 0) return []
  const phone: PhoneName = tab === 'B1' ? 'B' : 'A'
  return Array.from({ length: 4 }, () => ({ kind: 'fault', phone, fault: 'no request' }))
}

function writeLogOut(chance: RandomSource, tab: TabName): Step {
  return {
    kind: 'log out',
    tab,
    reason: chance.below(3) === 0 ? 'inactivity' : 'asked',
    givesUpUnsent: chance.below(2) === 0,
    fault: pickFault(chance),
  }
}

function signIn(
  chance: RandomSource,
  tab: TabName,
  { applicantId, hasGoodLine }: { applicantId: 'ada' | 'ben'; hasGoodLine: boolean },
): Step {
  return {
    kind: 'sign in as',
    tab,
    applicantId,
    isShared: chance.below(2) === 0,
    fault: hasGoodLine ? undefined : pickFault(chance),
  }
}

function pickFault(chance: RandomSource): LineFault | undefined {
  if (chance.below(2) === 0) return undefined
  return chance.pick(['no request', 'no answer', 'no answer, slowly'])
}

/** The tabs in which the next applicant may sign in: on phone A the same tab twice as often as each of the others. */
function neighboursOf(tab: TabName): readonly TabName[] {
  return tab === 'B1' ? ['B1'] : [tab, 'A1', 'A2', 'A3']
}

function type(chance: RandomSource, tab: TabName, turn: number): Step {
  return { kind: 'type', tab, field: chance.pick(typedFields), value: `${tab}.s${turn}` }
}
