/**
 * Returns the value below which this share of the sorted numbers lies; interpolates between the two nearest numbers.
 * NaN without numbers.
 */
export function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position % 1)
}

/** Returns the median, also of numbers that are not sorted. */
export function medianOf(numbers: readonly number[]): number {
  return quantile(
    numbers.toSorted((one, other) => one - other),
    0.5,
  )
}
