export type Point = { x: number; y: number }

/** A straight line: `slope` is its rise for each unit of x; `squaredDistances`: of the points from it, in y, added up. */
export type Line = { slope: number; squaredDistances: number; squaredSpread: number }

/** Least squares. `squaredSpread` of the line: of x around its mean, added up. Needs two different x. */
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
