import { quantile } from '#support/checks/quantile.ts'

export type FigureName =
  | 'bytesToReady'
  | 'scriptBytesBeforeReady'
  | 'readyMs'
  | 'hydratedMs'
  | 'scriptBytesWhenHydrated'
  | 'bytesAtIdle'
  | 'warmMs'
  | 'offlineMs'
  | 'heapBytes'
  | 'cpuMsPerKey'
  /** Of a key of a slow typist: the form saves after each of these keys. */
  | 'cpuMsPerSlowKey'
  | 'p95Ms'

/** The figures of one page in one round. Those that a page cannot have are undefined. */
export type Figures = { readonly [Name in FigureName]?: number | undefined }

/** The pages that one round measured, by name. Some pages are not in each round. */
export type Round = ReadonlyMap<string, Figures>

type Source = { page: string; figure: FigureName }

/** `iqr`: the interquartile range, the width of the middle half of the values. */
export type Spread = { median: number; iqr: number }

/** Returns the median and the interquartile range; undefined when no value is known. */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const sorted = values.filter(value => value !== undefined).toSorted((one, other) => one - other)
  if (sorted.length === 0) return undefined
  return { median: quantile(sorted, 0.5), iqr: quantile(sorted, 0.75) - quantile(sorted, 0.25) }
}

/**
 * Returns the mean of the middle half (interquartile mean): leaves out a quarter of the values, rounded down, at each
 * end. NaN without values. A browser paints every 16.7 ms, so a median of short times jumps by that step from run to
 * run, and this mean does not.
 */
export function middleMean(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const cut = Math.floor(sorted.length / 4)
  const middle = sorted.slice(cut, sorted.length - cut)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** Returns the figure in each round. */
export function figureByRound(rounds: readonly Round[], { page, figure }: Source): (number | undefined)[] {
  return rounds.map(round => round.get(page)?.[figure])
}

/**
 * Divides within each round: the median of these ratios is free of what slows down the machine for minutes. Undefined
 * for a round without both figures, or whose divisor is 0.
 */
export function ratioByRound(
  rounds: readonly Round[],
  dividend: Source,
  divisor: Source,
): (number | undefined)[] {
  const divisors = figureByRound(rounds, divisor)
  return figureByRound(rounds, dividend).map((value, index) => {
    const other = divisors[index]
    return value === undefined || !other ? undefined : value / other
  })
}

/**
 * Reverses the second and the third round of each four. So a machine that slows down during the run slows down all
 * pages about alike, also those that are only in every second round. `round`: from 0.
 */
export function inOrderOfRound<Item>(items: readonly Item[], round: number): Item[] {
  return Math.ceil(round / 2) % 2 === 0 ? [...items] : items.toReversed()
}
