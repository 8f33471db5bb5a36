import { describe, expect, it } from 'vitest'
import { Account } from '#contract/account.ts'

describe('Account.parse (D111)', () => {
  it('leaves out events whose kinds only a newer server knows', () => {
    const known = { at: '2026-11-26T10:00:00.000Z', kind: 'signed-in' }
    const unknown = { at: '2026-11-26T11:00:00.000Z', kind: 'kind-of-next-year' }
    const account = Account.parse({ contacts: [], sessions: [], events: [unknown, known] })
    expect(account.events).toEqual([known])
  })

  it('returns an empty list when an older server sends no events', () => {
    expect(Account.parse({ contacts: [], sessions: [] }).events).toEqual([])
  })
})
