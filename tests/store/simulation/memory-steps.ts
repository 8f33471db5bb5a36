import type { RandomSource } from '#support/random-source.ts'
import { wait } from './newer-steps.ts'
import type { PhoneName, Step } from './story.ts'
import { type TabName, tabNames, typedFields } from './story-names.ts'

/**
 * The disk is full while the applicant types, so that only the memory of the page has the answers, and then something replaces
 * them. Returns no step in most turns. Part of the stories with a seed of at least `firstSessionSeed`.
 */
export function writeMemoryActs(chance: RandomSource, turn: number): Step[] {
  if (chance.below(10) > 0) return []
  const tab = chance.pick(tabNames)
  const phone: PhoneName = tab === 'B1' ? 'B' : 'A'
  const other: TabName = tab === 'B1' ? chance.pick(['A1', 'A2']) : chance.pick(['B1', 'A3'])
  const field = chance.pick(typedFields)
  const replacing: Step[][] = [
    // The server's copy of a closed form, that of the applicant's oldest application on the server, replaces the draft (S93).
    [{ kind: 'server', event: 'close form', index: 0 }],
    [
      { kind: 'type', tab: other, field, value: `${other}.d${turn + 100}` },
      wait(chance.below(8_000)),
      { kind: 'submit', tab: other },
    ],
    [
      { kind: 'type', tab: other, field, value: `${other}.d${turn + 100}` },
      wait(chance.below(8_000)),
      { kind: 'choose', tab, theirs: true },
    ],
  ]
  return [
    { kind: 'storage', phone, trouble: 'disk is full' },
    { kind: 'type', tab, field, value: `${tab}.d${turn}` },
    wait(chance.pick([300, 1_000, 3_000])),
    // The first one comes twice as often as each of the others.
    ...chance.pick([...replacing, ...replacing.slice(0, 1)]),
    wait(chance.below(15_000)),
    { kind: 'show', tab },
    wait(chance.below(15_000)),
    { kind: 'storage', phone, trouble: 'none' },
  ]
}
