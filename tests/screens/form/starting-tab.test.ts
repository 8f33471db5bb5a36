import { describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { ApplicationId } from '#contract/ids.ts'
import { startingTab } from '#screens/form/starting-tab.ts'
import type { Store } from '#store/store.ts'

const appId = ApplicationId.parse('app-1')

function storeWith(tab: string | undefined): () => Promise<Store> {
  const draft = tab === undefined ? undefined : { values: emptyForm(), tab, savedAt: 0 }
  return async () => ({
    drafts: {
      read: async () => draft,
      write: async () => ({ kind: 'kept' }),
      remove: async () => {},
    },
    unlock: async () => {},
    lock: async () => {},
  })
}

async function refuse(): Promise<Store> {
  throw new Error('storage is refused')
}

describe('a form without a tab in its address', () => {
  it.each([
    ['D30 opens where it was left', 'ParentData', 'ParentData'],
    ['S51 opens on the first tab when nothing was left', undefined, 'GeneralData'],
    ['S51 opens on the first tab when the tab is not one of ours', 'OldTab', 'GeneralData'],
  ])('%s', async (_, left, tab) => {
    expect(await startingTab({ openStore: storeWith(left) }, appId)).toBe(tab)
  })

  it('S51 opens on the first tab when the device keeps nothing', async () => {
    expect(await startingTab({ openStore: refuse }, appId)).toBe('GeneralData')
  })
})
