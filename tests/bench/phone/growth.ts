import { fitLine } from '../figures/fit-line.ts'

export type Point = { keys: number; value: number }

/** A straight line through measured points, per 1,000 keys. */
export type Growth = { slope: number; standardError: number }

export function growthOf(points: readonly Point[]): Growth {
  const line = fitLine(points.map(({ keys, value }) => ({ x: keys / 1_000, y: value })))
  const { slope, squaredDistances, squaredSpread } = line
  return { slope, standardError: Math.sqrt(squaredDistances / (points.length - 2) / squaredSpread) }
}

/** Whether the line rises by more than the noise of its points explains. */
export function isGrowing({ slope, standardError }: Growth): boolean {
  return slope > 2 * standardError
}
