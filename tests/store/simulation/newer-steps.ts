import type { RandomSource } from '#support/random-source.ts'
import { hangMoments } from './hanging-writes.ts'
import type { Step } from './story.ts'
import { type TabName, tabNames, typedFields } from './story-names.ts'

/**
 * The stories of smaller seeds never change, because a known seed must stay the story that failed once. From this seed on,
 * stories have writes that hang, answers that are typed back, confirmations and deletions too.
 */
export const firstNewerSeed = 50_000_000

/** Returns no step in most turns: then the turn has an act of the older stories. */
export function writeNewerActs(chance: RandomSource, turn: number): Step[] {
  const tab = chance.pick(tabNames)
  // A tab of phone A: mostly another one, sometimes the same.
  const neighbour = chance.pick(['A1', 'A2', 'A3'] as const)
  switch (chance.below(16)) {
    case 0:
    case 1:
      return writeHang(chance, tab, turn)
    case 2:
      return [type(chance, tab, turn), pause(chance), { kind: 'type back', tab }]
    case 3:
    case 4:
      return writeConfirm(chance, { tab, neighbour, turn })
    case 5:
      return chance.below(2) === 0 ? writeDeletion(chance, { tab, neighbour, turn }) : []
    default:
      return []
  }
}

/** After `type back` the earlier answer, which the applicant types again, must win over the answer whose write hangs. */
function writeHang(chance: RandomSource, tab: TabName, turn: number): Step[] {
  const hang: Step = {
    kind: 'hang',
    tab,
    moment: chance.pick(hangMoments),
    forMs: chance.pick([2_000, 15_000, 15_000, 40_000]),
  }
  const typed = type(chance, tab, turn)
  if (chance.below(2) === 0) return [hang, typed]
  return [hang, typed, wait(chance.pick([300, 11_000, 16_000])), { kind: 'type back', tab }]
}

type Names = { tab: TabName; neighbour: TabName; turn: number }

function writeConfirm(chance: RandomSource, { tab, neighbour, turn }: Names): Step[] {
  const confirm: Step = {
    kind: 'confirm',
    tab,
    presses: 1 + chance.below(3),
    firstPressAfterMs: chance.pick([0, 1_000, 20_000]),
    isLineGood: chance.below(4) > 0,
    isFirstAnswerLost: chance.below(2) === 0,
    answerLateMs: chance.pick([0, 0, 5_000, 20_000]),
    typedAtPress:
      chance.below(2) === 0
        ? { tab: neighbour, field: chance.pick(typedFields), value: `${neighbour}.m${turn}` }
        : undefined,
  }
  // Mostly another tab or phone types before the confirmation begins, or soon after that.
  if (chance.below(3) === 0) return [confirm]
  const typed = type(chance, chance.pick([neighbour, neighbour, 'B1']), turn)
  return chance.below(2) === 0 ? [typed, pause(chance), confirm] : [confirm, pause(chance), typed]
}

/** Deletes an application that another tab may have open, with answers that are saved or only in its memory. */
function writeDeletion(chance: RandomSource, { tab, neighbour, turn }: Names): Step[] {
  const deletion: Step = {
    kind: 'delete',
    tab,
    index: chance.below(3) === 0 ? 1 : 0,
    isLineGood: chance.below(4) > 0,
  }
  const before: Step[] = [type(chance, neighbour, turn), pause(chance)]
  if (chance.below(3) === 0)
    before.unshift({ kind: 'hang', tab: neighbour, moment: chance.pick(hangMoments), forMs: 15_000 })
  const after: Step[] = [wait(chance.below(3_000)), type(chance, neighbour, turn + 100)]
  const again: Step[] = chance.below(2) === 0 ? [wait(15_000), { kind: 'start', tab }] : []
  return [...before, deletion, ...after, ...again]
}

function type(chance: RandomSource, tab: TabName, turn: number): Step {
  return { kind: 'type', tab, field: chance.pick(typedFields), value: `${tab}.n${turn}` }
}

function pause(chance: RandomSource): Step {
  return wait(chance.below(chance.pick([400, 400, 4_000, 12_000])))
}

export function wait(ms: number): Step {
  return { kind: 'wait', ms }
}
