import { createRandomSource } from '#support/random-source.ts'

/** No two are of one group (`fieldGroups`), so each is a conflict of its own. */
const fields = ['surname', 'givenName', 'resAddressStreet'] as const
export type Answered = Partial<Record<(typeof fields)[number], string>>

/** The changes of one form on two devices that did not know of each other, and their order. */
export type Interleaving = {
  seed: number
  mine: Answered
  theirs: Answered
  /** True: the device had saved `mine` before `theirs` reached the server. False: `mine` was typed afterwards. */
  isSavedBefore: boolean
  /** The fields that both devices changed: the applicant must choose. */
  conflicting: (typeof fields)[number][]
  /** What the applicant chooses for each of `conflicting`. */
  picks: ('mine' | 'theirs')[]
}

function drawInterleaving(seed: number): Interleaving {
  const chance = createRandomSource(seed)
  const drawAnswers = (by: string): Answered =>
    Object.fromEntries(fields.filter(() => chance.below(2) === 0).map(name => [name, `${by} ${seed}`]))
  const mine = drawAnswers('Mine')
  const theirs = drawAnswers('Theirs')
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

/** For browser tests: interleavings with one, two and three conflicting fields; only the second has `isSavedBefore` false. */
export const threeConflicts = [
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 1 && isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 2 && !isSavedBefore),
  interleavings.find(({ conflicting, isSavedBefore }) => conflicting.length === 3 && isSavedBefore),
].flatMap(each => each ?? [])
