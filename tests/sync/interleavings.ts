import { createRandomSource } from './simulation.ts'

const fields = ['surname', 'givenName', 'resAddressStreet'] as const
export type Answered = Partial<Record<(typeof fields)[number], string>>

/** Two hands on one form, neither knowing of the other: who changed what, and whose answer came first. */
export type Interleaving = {
  seed: number
  mine: Answered
  theirs: Answered
  /** Mine were kept here before theirs were on the server; else typed after that. */
  isSavedBefore: boolean
  /** Fields that both changed: only the applicant can say which holds. */
  conflicting: (typeof fields)[number][]
  picks: ('mine' | 'theirs')[]
}

export function drawInterleaving(seed: number): Interleaving {
  const chance = createRandomSource(seed)
  const write = (by: string): Answered =>
    Object.fromEntries(fields.filter(() => chance.below(2) === 0).map(name => [name, `${by} ${seed}`]))
  const mine = write('Mine')
  const theirs = write('Theirs')
  const isSavedBefore = chance.below(2) === 0
  const conflicting = fields.filter(name => mine[name] !== undefined && theirs[name] !== undefined)
  return {
    seed,
    mine,
    theirs,
    isSavedBefore,
    conflicting,
    picks: conflicting.map(() => chance.pick(['mine', 'theirs'])),
  }
}

export const interleavings = Array.from({ length: 500 }, (_, index) => drawInterleaving(index + 1))

/** For the browser: of each kind the first one that ends at the choice screen. */
export const threeConflicts = [
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 1 && isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 2 && !isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 3 && isSavedBefore),
].flatMap(each => each ?? [])
