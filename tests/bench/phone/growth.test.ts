import { describe, expect, it } from 'vitest'
import { growthOf, isGrowing, pointsBetween, typicalGrowth } from './growth.ts'

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

describe('typicalGrowth', () => {
  it('finds a growth that is the same at each point', () => {
    expect(typicalGrowth(pointsOf([100, 102, 104, 106, 108]))).toBeCloseTo(10)
  })

  it('is the mean of the two in the middle of an even number of growths', () => {
    expect(typicalGrowth(pointsOf([100, 102, 106]))).toBeCloseTo(15)
  })

  it('finds none in one step, nor in one high point', () => {
    expect(typicalGrowth(pointsOf([100, 100, 120, 120, 120]))).toBe(0)
    expect(typicalGrowth(pointsOf([100, 100, 180, 100, 100, 100]))).toBe(0)
  })
})

it('pointsBetween keeps both ends', () => {
  expect(pointsBetween(pointsOf([1, 2, 3, 4, 5]), [400, 800]).map(({ value }) => value)).toEqual([2, 3, 4])
})

/** Points that were measured after 200, 400, 600 … pressed keys. */
function pointsOf(values: number[]) {
  return values.map((value, index) => ({ keys: (index + 1) * 200, value }))
}
