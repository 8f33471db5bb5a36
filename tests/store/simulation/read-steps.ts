import type { RandomSource } from '#support/random-source.ts'
import { readFailures } from './failing-reads.ts'
import { hangMoments } from './hanging-writes.ts'
import type { Step } from './story.ts'
import { type TabName, tabNames, typedFields } from './story-names.ts'

/** From this seed on, reads may fail while a write of their tab runs. */
export const firstReadSeed = 90_000_000

/** Returns no step in most turns: then the turn has an act of the stories of smaller seeds. */
export function writeFailingReadActs(chance: RandomSource, turn: number): Step[] {
  if (chance.below(5) > 0) return []
  const tab = chance.pick(tabNames)
  const failing: Step = {
    kind: 'failing reads',
    tab,
    moment: chance.pick(readFailures),
    forMs: chance.pick([300, 3_000, 20_000]),
  }
  const wait: Step = { kind: 'wait', ms: chance.below(chance.pick([400, 4_000, 12_000])) }
  const steps: Step[] = [failing, type(chance, tab, turn), wait, type(chance, tab, turn + 100)]
  if (chance.below(2) === 0) return steps
  // A write that runs for long leaves much time for reads that fail.
  const forMs = chance.pick([2_000, 15_000])
  return [{ kind: 'hang', tab, moment: chance.pick(hangMoments), forMs }, ...steps]
}

function type(chance: RandomSource, tab: TabName, turn: number): Step {
  return { kind: 'type', tab, field: chance.pick(typedFields), value: `${tab}.r${turn}` }
}
