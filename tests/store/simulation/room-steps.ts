import type { RandomSource } from '#support/random-source.ts'
import { wait } from './newer-steps.ts'
import type { LineFault, PhoneName, Step } from './story.ts'
import { tabNames, typedFields } from './story-names.ts'

/**
 * In stories with a seed of at least this one, a disk may have room for a draft, but not for the answers that were replaced in
 * it (D63).
 */
export const firstRoomSeed = 110_000_000

/**
 * The server's copy of a closed form replaces an answer that the network could not send (S93), while the disk has no room for
 * the replaced answer: then the page has this answer in memory, and saves it with a later write. Returns no step in most turns.
 */
export function writeRoomActs(chance: RandomSource, turn: number): Step[] {
  if (chance.below(8) > 0) return []
  const tab = chance.pick(tabNames)
  const phone: PhoneName = tab === 'B1' ? 'B' : 'A'
  const fault: LineFault = 'no request'
  return [
    ...Array.from({ length: 3 }, (): Step => ({ kind: 'fault', phone, fault })),
    { kind: 'type', tab, field: chance.pick(typedFields), value: `${tab}.e${turn}` },
    wait(chance.pick([300, 1_000, 3_000])),
    { kind: 'storage', phone, trouble: 'only drafts fit' },
    // The form of the applicant's oldest application on the server.
    { kind: 'server', event: 'close form', index: 0 },
    { kind: 'show', tab },
    wait(chance.below(60_000)),
    { kind: 'storage', phone, trouble: 'none' },
  ]
}
