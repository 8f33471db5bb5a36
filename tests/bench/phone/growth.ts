import { medianOf } from '#support/checks/quantile.ts'
import { fitLine } from '../figures/fit-line.ts'

/** `keys`: how many keys were pressed before the measurement. */
export type Point = { keys: number; value: number }

/**
 * A straight line through measured points, per 1,000 keys. `standardError`: NaN or Infinity with fewer than three
 * points.
 */
export type Growth = { slope: number; standardError: number }

export function growthOf(points: readonly Point[]): Growth {
  const line = fitLine(points.map(({ keys, value }) => ({ x: keys / 1_000, y: value })))
  const { slope, squaredDistances, squaredSpread } = line
  return { slope, standardError: Math.sqrt(squaredDistances / (points.length - 2) / squaredSpread) }
}

/**
 * The median of the growths from each point to the next, for 1,000 keys; NaN with fewer than two points. Of an even
 * number of growths, it is the mean of the two in the middle. So among four points or more, a single step or high point
 * does not count.
 */
export function typicalGrowth(points: readonly Point[]): number {
  const growths = points.slice(1).map(({ keys, value }, index) => {
    const before = points[index] ?? { keys, value }
    return (value - before.value) / ((keys - before.keys) / 1_000)
  })
  return medianOf(growths)
}

/** Returns the points between two numbers of keys, both included. */
export function pointsBetween<Each extends { keys: number }>(
  points: readonly Each[],
  [from, to]: readonly [number, number],
): Each[] {
  return points.filter(({ keys }) => keys >= from && keys <= to)
}

/** Whether the line rises by more than the noise of its points explains. */
export function isGrowing({ slope, standardError }: Growth): boolean {
  return slope > 2 * standardError
}
