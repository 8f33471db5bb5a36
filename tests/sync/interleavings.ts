import { createChance } from './simulation.ts'

const fields = ['surname', 'givenName', 'resAddressStreet'] as const
export type Answered = Partial<Record<(typeof fields)[number], string>>

/** Two hands on one form, neither knowing of the other: who changed what, and whose answer came first. */
export type Interleaving = {
  seed: number
  mine: Answered
  theirs: Answered
  /** Mine were kept here before theirs were on the server; else typed after that. */
  isKeptBefore: boolean
  /** Fields that both changed: only the applicant can say which holds. */
  disputed: (typeof fields)[number][]
  picks: ('mine' | 'theirs')[]
}

export function drawInterleaving(seed: number): Interleaving {
  const chance = createChance(seed)
  const write = (by: string): Answered =>
    Object.fromEntries(fields.filter(() => chance.below(2) === 0).map(name => [name, `${by} ${seed}`]))
  const mine = write('Mine')
  const theirs = write('Theirs')
  const isKeptBefore = chance.below(2) === 0
  const disputed = fields.filter(name => mine[name] !== undefined && theirs[name] !== undefined)
  return {
    seed,
    mine,
    theirs,
    isKeptBefore,
    disputed,
    picks: disputed.map(() => chance.one(['mine', 'theirs'])),
  }
}

export const interleavings = Array.from({ length: 500 }, (_, index) => drawInterleaving(index + 1))

/** For the browser: of each kind the first one that ends at the choice screen. */
export const threeDisputes = [
  interleavings.find(({ disputed, isKeptBefore }) => disputed.length === 1 && isKeptBefore),
  interleavings.find(({ disputed, isKeptBefore }) => disputed.length === 2 && !isKeptBefore),
  interleavings.find(({ disputed, isKeptBefore }) => disputed.length === 3 && isKeptBefore),
].flatMap(each => each ?? [])
