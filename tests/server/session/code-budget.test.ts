import { describe, expect, it } from 'vitest'
import { type Asker, codesFor } from '#server/features/session/code-budget.ts'

const stranger: Asker = { hasAccount: false, isKnownBrowser: false }
const strangerToAccount: Asker = { hasAccount: true, isKnownBrowser: false }
const owner: Asker = { hasAccount: true, isKnownBrowser: true }
/** A browser that has proven the contact before the account was deleted. */
const former: Asker = { hasAccount: false, isKnownBrowser: true }

describe('how many codes of a budget a request may use (D91)', () => {
  it.each([
    { total: 20_000, asker: stranger, codes: 16_000 },
    { total: 20_000, asker: strangerToAccount, codes: 19_000 },
    { total: 20_000, asker: owner, codes: 20_000 },
    { total: 20_000, asker: former, codes: 16_000 },
    { total: 100, asker: strangerToAccount, codes: 95 },
    { total: 20, asker: strangerToAccount, codes: 19 },
    // A smaller budget has no code that it could keep.
    { total: 19, asker: strangerToAccount, codes: 19 },
    { total: 1, asker: stranger, codes: 1 },
    { total: 0, asker: owner, codes: 0 },
    { total: Number.POSITIVE_INFINITY, asker: stranger, codes: Number.POSITIVE_INFINITY },
  ])('of $total is $codes for $asker', ({ total, asker, codes }) => {
    expect(codesFor(total, asker)).toBe(codes)
  })
})
