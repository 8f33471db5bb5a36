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

describe('a form without a tab in its address', () => {
  it.each([
    ['D30 opens where it was left', 'ParentData', 'ParentData'],
    ['S51 opens on the first tab when nothing was left', undefined, 'GeneralData'],
    ['S51 opens on the first tab when the tab is not one of ours', 'OldTab', 'GeneralData'],
  ])('%s', async (_, left, tab) => {
    expect(await startingTab({ sync: { read: async () => statusOnTab(left) } }, appId)).toBe(tab)
  })

  it('S51 opens on the first tab when the device keeps nothing', async () => {
    expect(await startingTab({ sync: { read: async () => ({ kind: 'not-kept' }) } }, appId)).toBe(
      'GeneralData',
    )
  })
})
