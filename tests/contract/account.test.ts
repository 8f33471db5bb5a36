import { describe, expect, it } from 'vitest'
import { Account } from '#contract/account.ts'

describe('the events of an account (D111)', () => {
  it('leave out the kinds of a newer server', () => {
    const known = { at: '2026-11-26T10:00:00.000Z', kind: 'signed-in' }
    const unknown = { at: '2026-11-26T11:00:00.000Z', kind: 'kind-of-next-year' }
    const account = Account.parse({ contacts: [], sessions: [], events: [unknown, known] })
    expect(account.events).toEqual([known])
  })

  it('are none from a server that sends none', () => {
    expect(Account.parse({ contacts: [], sessions: [] }).events).toEqual([])
  })
})
