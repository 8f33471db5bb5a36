import { expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { areSentAutomatically, checkSynced, countUnsent, isOnlyOnDevice } from '#sync/check-synced.ts'
import { type SyncStatus, syncStatusOf } from '#sync/sync-status.ts'
import { firstPassport } from '#support/data/applicants.ts'

const base = { version: 3, epoch: 'current', additionalData: '', values: firstPassport, at: 1 }
const sent = newDraft({ values: firstPassport, tab: 'PersonData', base })
const changed = newDraft({ ...sent, values: { ...firstPassport, surname: 'Mbock' } })

it.each([
  ['no draft', undefined, undefined, false],
  ['a draft that the server has', sent, 'current', false],
  ['a draft that the server has, when the server does not answer', sent, undefined, false],
  ['a draft that a restored server may have lost', sent, 'restored', true],
  ['a changed draft', changed, 'current', true],
  ['a draft that waits for the connection', { ...changed, attempts: 1 }, undefined, true],
])('isOnlyOnDevice: %s (D31, D62)', (_, draft, serverEpoch, expected) => {
  expect(isOnlyOnDevice(syncStatusOf(draft, true), serverEpoch)).toBe(expected)
})

it('after a failed attempt a draft waits when it was changed and the server accepts drafts (D30)', () => {
  expect(syncStatusOf({ ...sent, attempts: 1 }, true).kind).toBe('sent')
  expect(syncStatusOf({ ...changed, attempts: 1 }, false).kind).toBe('saved')
  expect(syncStatusOf({ ...changed, attempts: 1 }, true).kind).toBe('waiting')
})

it.each([
  [{ offline: true, unsent: 0 }, 'offline'],
  [{ offline: true, unsent: 2 }, 'offline'],
  [{ offline: false, unsent: 1 }, 'unsent'],
  [{ offline: false, unsent: 0 }, 'allowed'],
  [{ offline: true, unsent: 0, unreadable: true }, 'offline'],
  [{ offline: false, unsent: 1, unreadable: true }, 'unsent'],
  [{ offline: false, unsent: 0, unreadable: true }, 'unreadable'],
])('checkSynced: a step that needs the server, with %o, is %s (D33, OFF08, OFF09, D74)', (facts, kind) => {
  expect(checkSynced(facts)).toEqual({ kind })
})

/** The count depends on the kind alone. */
const count = (kind: SyncStatus['kind']) => countUnsent({ kind } as SyncStatus)

it('counts a draft with answers to send, also one that the server has refused, but none that is only saved here (D33)', () => {
  const uncounted: SyncStatus['kind'][] = ['none', 'unreadable', 'not-saved', 'saved', 'sent']
  const counted: SyncStatus['kind'][] = ['unsent', 'sending', 'waiting', 'stuck', 'conflict']
  expect(uncounted.map(count)).toEqual([0, 0, 0, 0, 0])
  expect(counted.map(count)).toEqual([1, 1, 1, 1, 1])
})

const areSent = (...kinds: SyncStatus['kind'][]) =>
  areSentAutomatically(kinds.map(kind => ({ status: { kind } as SyncStatus })))

it('says that the sync sends all unsent drafts only when none of them waits for the applicant (D33)', () => {
  expect([areSent(), areSent('none', 'sent', 'saved', 'unreadable', 'not-saved')]).toEqual([false, false])
  expect([areSent('unsent'), areSent('sending'), areSent('sent', 'waiting')]).toEqual([true, true, true])
  expect([areSent('stuck'), areSent('conflict'), areSent('unsent', 'stuck')]).toEqual([false, false, false])
})

it('a draft that cannot be read may be only on the device (D31, D74)', () => {
  expect(isOnlyOnDevice({ kind: 'unreadable', fault: 'lost' }, 'current')).toBe(true)
  expect(isOnlyOnDevice({ kind: 'unreadable', fault: 'lost', draft: sent }, 'current')).toBe(true)
})

it('a sent draft without a form of the server is not only on the device (D62)', () => {
  expect(
    isOnlyOnDevice({ kind: 'sent', at: 0, draft: newDraft({ ...sent, base: undefined }) }, 'current'),
  ).toBe(false)
})
