import { describe, expect, it } from 'vitest'
import { growthOf, isGrowing } from './growth.ts'

describe('growthOf', () => {
  it('finds a steady growth', () => {
    const growth = growthOf(pointsOf([100, 120, 140, 160]))
    expect(growth.slope).toBeCloseTo(100)
    expect(growth.standardError).toBeCloseTo(0)
    expect(isGrowing(growth)).toBe(true)
  })

  it.each([
    ['level points', [100, 100, 100, 100]],
    ['points that fall', [160, 140, 120, 100]],
    ['noise around a level', [100, 104, 98, 103, 99, 102]],
  ])('finds no growth in %s', (_, values) => {
    expect(isGrowing(growthOf(pointsOf(values)))).toBe(false)
  })
})

function pointsOf(values: number[]) {
  return values.map((value, index) => ({ keys: (index + 1) * 200, value }))
}
