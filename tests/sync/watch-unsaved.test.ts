import { expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { createDraftAccess } from '#sync/draft-access.ts'
import { syncStatusOf, type SyncStatus } from '#sync/sync-status.ts'
import { watchUnsavedAnswers } from '#sync/watch-unsaved.ts'
import { createMemoryDrafts } from './simulation.ts'

const acceptsDrafts = true // the server accepts incomplete forms (D14)
const base = { version: 1, additionalData: '', values: emptyForm(), at: 0 }
const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', base })
const changed = newDraft({ ...draft, values: { ...emptyForm(), surname: 'Mbock' } })

it.each<[string, string[], SyncStatus, string[]]>([
  ['warns when the server does not have the answers', ['7'], syncStatusOf(changed, acceptsDrafts), ['7']],
  ['warns when no status is known yet, or the session was refused', ['7'], { kind: 'none' }, ['7']],
  ['does not warn when the server has the answers', ['7'], syncStatusOf(draft, acceptsDrafts), []],
  [
    'does not warn when the storage fails, and the server has the answers',
    ['7'],
    { kind: 'unreadable', fault: 'lost', draft },
    [],
  ],
  ['warns when the storage fails, and nothing is known', ['7'], { kind: 'unreadable', fault: 'lost' }, ['7']],
  ['does not warn when the device has saved the answers', [], syncStatusOf(changed, acceptsDrafts), []],
])('before a reload, a page with answers %s (D31)', async (_, ids, status, expected) => {
  const listeners = new Set<() => void>()
  const warnings: (readonly string[])[] = []
  const drafts = { ...createMemoryDrafts(new Map(), new Map()), unsavedIds: () => ids }
  watchUnsavedAnswers({
    drafts: createDraftAccess(async () => drafts, { watchEnd: () => () => false }),
    statusSource: {
      subscribe: listener => (listeners.add(listener), () => listeners.delete(listener)),
      status: () => status,
      list: () => [],
      listFault: () => undefined,
      readAgain: () => undefined,
      read: async () => status,
    },
    setOnlyInPage: applicationIds => void warnings.push(applicationIds),
  })
  for (const listener of listeners) listener()
  await expect.poll(() => warnings).toEqual([expected])
})
