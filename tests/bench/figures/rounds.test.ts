import { describe, expect, it } from 'vitest'
import { figureByRound, inOrderOfRound, middleMean, ratioByRound, type Round, spreadOf } from './rounds.ts'

describe('spreadOf', () => {
  it.each<[string, (number | undefined)[], { median: number; iqr: number } | undefined]>([
    ['nothing', [], undefined],
    ['unknown values only', [undefined, undefined], undefined],
    ['one value', [7], { median: 7, iqr: 0 }],
    ['an even number of values', [1, 3], { median: 2, iqr: 1 }],
    ['values in any order', [5, 1, 4, 2, 3], { median: 3, iqr: 2 }],
    ['an outlier', [10, 10, 10, 10, 1_000], { median: 10, iqr: 0 }],
    ['quartiles between two values', [1, 2, 3, 4], { median: 2.5, iqr: 1.5 }],
    ['unknown values between known ones', [2, undefined, 4, undefined, 6], { median: 4, iqr: 2 }],
  ])('returns median and interquartile range of %s', (_, values, expected) => {
    expect(spreadOf(values)).toEqual(expected)
  })
})

describe('middleMean', () => {
  it.each<[string, number[], number]>([
    ['no values', [], Number.NaN],
    ['one value', [7], 7],
    ['three values', [1, 2, 6], 3],
    ['an outlier on each side', [0, 10, 20, 1_000], 15],
    ['values in any order', [8, 1, 7, 2, 6, 3, 5, 4], 4.5],
  ])('returns the mean of the middle half of %s', (_, values, expected) => {
    expect(middleMean(values)).toBe(expected)
  })
})

describe('ratioByRound', () => {
  it('returns the same ratios when the machine is slower in one round', () => {
    const rounds = [roundOf(1_200, 1_000), roundOf(3_600, 3_000), roundOf(1_320, 1_100)]
    expect(ratioByRound(rounds, ready('portal'), ready('static'))).toEqual([1.2, 1.2, 1.2])
  })

  it('returns undefined for a round that lacks one of the two figures, or whose divisor is zero', () => {
    const rounds = [
      roundOf(undefined, 1_000),
      roundOf(1_000, undefined),
      new Map(),
      roundOf(1_000, 0),
      roundOf(900, 600),
    ]
    const ratios = ratioByRound(rounds, ready('portal'), ready('static'))
    expect(ratios).toEqual([undefined, undefined, undefined, undefined, 1.5])
    expect(figureByRound(rounds, ready('portal'))).toEqual([undefined, 1_000, undefined, 1_000, 900])
  })
})

describe('inOrderOfRound', () => {
  it('reverses the second and the third of each four rounds, so half of the even and half of the odd rounds', () => {
    const pages = ['a', 'b', 'c']
    const orders = [0, 1, 2, 3, 4].map(round => inOrderOfRound(pages, round).join(''))
    expect(orders).toEqual(['abc', 'cba', 'cba', 'abc', 'abc'])
    expect(orders.filter((_, round) => round % 2 === 0)).toEqual(['abc', 'cba', 'abc'])
  })
})

const ready = (page: string) => ({ page, figure: 'readyMs' }) as const

function roundOf(portalMs: number | undefined, staticMs: number | undefined): Round {
  return new Map([
    ['portal', { readyMs: portalMs }],
    ['static', { readyMs: staticMs }],
  ])
}
