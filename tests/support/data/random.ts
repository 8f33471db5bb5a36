/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from 0 up to, and without, the count. */
  integerBelow(count: number): number
  chance(share: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // A Weyl sequence whose bits are mixed until neighbours have nothing in common.
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
