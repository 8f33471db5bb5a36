export type Point = { keys: number; value: number }

/** A straight line through measured points, per 1,000 keys. */
export type Growth = { slope: number; standardError: number }

/** Least squares. */
export function growthOf(points: readonly Point[]): Growth {
  const perThousand = points.map(({ keys, value }) => ({ x: keys / 1_000, y: value }))
  const meanX = mean(perThousand.map(({ x }) => x))
  const meanY = mean(perThousand.map(({ y }) => y))
  const spread = sum(perThousand.map(({ x }) => (x - meanX) ** 2))
  const slope = sum(perThousand.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread
  const residue = sum(perThousand.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2))
  return { slope, standardError: Math.sqrt(residue / (points.length - 2) / spread) }
}

/** Whether the line rises by more than the noise of its points explains. */
export function isGrowing({ slope, standardError }: Growth): boolean {
  return slope > 2 * standardError
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
