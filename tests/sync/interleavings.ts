import { createRandomSource } from '#support/random-source.ts'

const fields = ['surname', 'givenName', 'resAddressStreet'] as const
export type Answered = Partial<Record<(typeof fields)[number], string>>

/** Two devices change one form without knowing of each other: which fields each changed, and which wrote first. */
export type Interleaving = {
  seed: number
  mine: Answered
  theirs: Answered
  /** True: mine were saved before theirs reached the server; false: typed afterwards. */
  isSavedBefore: boolean
  /** Fields that both changed: the applicant must choose. */
  conflicting: (typeof fields)[number][]
  picks: ('mine' | 'theirs')[]
}

function drawInterleaving(seed: number): Interleaving {
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

/** For browser tests: the first one of each kind that ends at the conflict screen. */
export const threeConflicts = [
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 1 && isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 2 && !isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 3 && isSavedBefore),
].flatMap(each => each ?? [])
