import { expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import { syncStatusOf } from '#sync/sync-status.ts'
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

it('only a changed draft waits after a failed attempt, where the server takes drafts (D30)', () => {
  expect(syncStatusOf({ ...sent, attempts: 1 }, true).kind).toBe('sent')
  expect(syncStatusOf({ ...changed, attempts: 1 }, false).kind).toBe('saved')
  expect(syncStatusOf({ ...changed, attempts: 1 }, true).kind).toBe('waiting')
})
