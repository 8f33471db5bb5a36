/** A pseudo-random generator: the same seed gives the same numbers. */
export type Random = {
  /** At least 0 and below 1. */
  next(): number
  /** An integer from 0 to `count` - 1. */
  integerBelow(count: number): number
  chance(share: number): boolean
  /** @throws when there are no items. */
  pick<Item>(items: readonly Item[]): Item
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // A Weyl sequence with mixed bits (splitmix32).
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const integerBelow = (count: number) => Math.floor(next() * count)
  return {
    next,
    integerBelow,
    chance: share => next() < share,
    pick(items) {
      const picked = items[integerBelow(items.length)]
      if (picked === undefined) throw new Error('Nothing to pick from')
      return picked
    },
  }
}
