import { describe, expect, it } from 'vitest'
import {
  answerOfBudget,
  areFewUsed,
  type CodeCounts,
  demandOf,
  hardest,
  workOfCount,
} from '#server/features/session/code-demand-rule.ts'

const quiet: CodeCounts = {
  ofContact: { work: 0, isKnownBrowser: false },
  ofNetworks: 0,
  hasFewUsed: false,
  spent: 0,
  total: 100,
}
const known = { work: 0, isKnownBrowser: true } as const
const none = { work: 0, isSpent: false }

describe('the server before it sends a code (D20, D91)', () => {
  it.each([
    ['nothing on a quiet day', quiet, none],
    [
      'a puzzle for the codes to the contact',
      { ofContact: { ...known, work: 4 } },
      { work: 4, problem: 'captcha-needed' },
    ],
    [
      'a puzzle for the codes of the networks',
      { ofNetworks: 2 },
      { work: 2, problem: 'too-many-from-network' },
    ],
    [
      'the harder puzzle of both',
      { ofContact: { ...known, work: 1 }, ofNetworks: 8 },
      { work: 8, problem: 'captcha-needed' },
    ],
    [
      'a puzzle in a country where few codes are used',
      { hasFewUsed: true },
      { work: 1, problem: 'captcha-needed' },
    ],
    [
      'a puzzle in a country where few codes are used, also from a known browser',
      { hasFewUsed: true, ofContact: known },
      { work: 1, problem: 'captcha-needed' },
    ],
    ['nothing before half of the budget is spent', { spent: 49 }, none],
    [
      'a puzzle from an unknown browser when half of the budget is spent',
      { spent: 50 },
      { work: 2, problem: 'captcha-needed' },
    ],
    [
      'the same puzzle before 80 % are spent',
      { spent: 79 },
      { work: 2, problem: 'captcha-needed', isSpent: false },
    ],
    [
      'a harder puzzle from an unknown browser when 80 % are spent',
      { spent: 80 },
      { work: 4, problem: 'captcha-needed', isSpent: false },
    ],
    ['nothing from a known browser until the budget is spent', { spent: 99, ofContact: known }, none],
  ])('demands %s', (_, counts, expected) => {
    expect(demandOf({ ...quiet, ...counts } as CodeCounts)).toMatchObject(expected)
  })

  it.each([
    ['an unknown browser when 95 % are spent', { spent: 95 }],
    ['every browser when the budget is spent', { spent: 100, ofContact: known }],
  ])('refuses %s', (_, counts) => {
    expect(demandOf({ ...quiet, ...counts })).toMatchObject({ isSpent: true })
  })

  it('returns the problem of the networks also when it demands no puzzle', () => {
    expect(demandOf(quiet).problem).toBe('too-many-from-network')
  })
})

describe('the work for the codes of a network (D91)', () => {
  it.each([
    [0, 0],
    [9, 0],
    [10, 1],
    [39, 1],
    [40, 2],
    [159, 2],
    [160, 4],
    [640, 8],
    [10_000_000, 8],
  ])('after %i codes is %i when 10 codes are free', (count, work) => {
    expect(workOfCount(count, 10)).toBe(work)
  })

  it('is the hardest of several', () => {
    expect(hardest([])).toBe(0)
    expect(hardest([1, 4, 2])).toBe(4)
    expect(hardest([0, 0])).toBe(0)
  })
})

describe('the answer after the server tried to count the code in the budget (D20, D91)', () => {
  const counted = { isCounted: true, isReserved: false }
  const spent = { isCounted: false, isReserved: true }
  const owner = { hasAccount: true, isKnownBrowser: true, isSecret: false }
  it.each([
    ['is the usual one', counted, owner, { isRefused: false, isReserved: false }],
    [
      'says that the rest is reserved',
      { ...counted, isReserved: true },
      owner,
      { isRefused: false, isReserved: true },
    ],
    ['tells the owner that nothing is left', spent, owner, { isRefused: true, isReserved: true }],
    [
      'tells a stranger only that the rest is reserved',
      spent,
      { ...owner, isKnownBrowser: false },
      { isRefused: false, isReserved: true },
    ],
    [
      'tells only that the rest is reserved when the contact has no account',
      spent,
      { ...owner, hasAccount: false },
      { isRefused: false, isReserved: true },
    ],
    [
      'says nothing about the budget when that would show whether there is a recipient',
      spent,
      { ...owner, isSecret: true },
      { isRefused: false, isReserved: false },
    ],
  ])('%s', (_, budget, sending, answer) => {
    expect(answerOfBudget(budget, sending)).toEqual(answer)
  })
})

describe('few codes to a country are used', () => {
  it.each([
    [{ sent: 0, used: 0 }, false],
    [{ sent: 19, used: 0 }, false],
    [{ sent: 20, used: 5 }, true],
    [{ sent: 20, used: 6 }, false],
    [{ sent: 20, used: 20 }, false],
    [{ sent: 1_000, used: 299 }, true],
  ])('%o: %s', (codes, few) => {
    expect(areFewUsed(codes)).toBe(few)
  })
})
