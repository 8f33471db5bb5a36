export type Point = { x: number; y: number }

/**
 * A straight line. `slope`: its rise for each unit of x. `squaredDistances`: the sum of the squared distances of the
 * points from the line, in y. `squaredSpread`: the sum of the squared distances of each x from the mean of x.
 */
export type Line = { slope: number; squaredDistances: number; squaredSpread: number }

/** Fits by least squares. Needs two different x. */
export function fitLine(points: readonly Point[]): Line {
  const meanX = sum(points.map(({ x }) => x)) / points.length
  const meanY = sum(points.map(({ y }) => y)) / points.length
  const squaredSpread = sum(points.map(({ x }) => (x - meanX) ** 2))
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / squaredSpread
  const squaredDistances = sum(points.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2))
  return { slope, squaredDistances, squaredSpread }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
