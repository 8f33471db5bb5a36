import { describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { ApplicationId } from '#contract/ids.ts'
import { startingTab } from '#screens/form/starting-tab.ts'
import { newDraft } from '#store/draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'

const appId = ApplicationId.parse('app-1')

function statusOnTab(tab: string | undefined): SyncStatus {
  return tab === undefined
    ? { kind: 'none' }
    : { kind: 'unsent', draft: newDraft({ values: emptyForm(), tab }) }
}

describe('startingTab', () => {
  it.each([
    ['returns the tab of the saved draft (D30)', 'ParentData', 'ParentData'],
    ['returns the first tab when there is no draft (S51)', undefined, 'GeneralData'],
    ['returns the first tab when the saved tab does not exist (S51)', 'OldTab', 'GeneralData'],
  ])('%s', async (_, savedTab, tab) => {
    expect(await startingTab({ sync: { read: async () => statusOnTab(savedTab) } }, appId)).toBe(tab)
  })

  it('returns the first tab when the page cannot open the drafts (S51)', async () => {
    expect(await startingTab({ sync: { read: async () => ({ kind: 'not-saved' }) } }, appId)).toBe(
      'GeneralData',
    )
  })
})
