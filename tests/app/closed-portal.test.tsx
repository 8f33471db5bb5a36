// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { openPortal } from '#support/fixtures/open-portal.tsx'

it('a late navigation in the portal of an earlier test does not open another page in the next test', async () => {
  const earlier = await openPortal({ path: '/procedure' })
  await earlier.close()
  const path = '/form/app-1/PP-1/PersonData'
  const portal = await openPortal({ path })
  await portal.see(() => portal.named('surname'))
  void earlier.services.navigation.go('/help')
  await portal.see(() => portal.named('surname'))
  expect(location.pathname).toBe(path)
  await portal.close()
})

it('a portal of an earlier test does not hear of the writes of the next test', async () => {
  const onWrite = vi.fn<() => void>()
  const earlier = await openPortal({ path: '/procedure' })
  earlier.store.drafts.watch(onWrite)
  await earlier.close()
  onWrite.mockClear()
  // The sign-in writes the key of the drafts.
  const portal = await openPortal({ path: '/procedure' })
  await portal.store.drafts.update('app-1', () => newDraft({ values: emptyForm(), tab: 'GeneralData' }))
  expect(onWrite).not.toHaveBeenCalled()
  await portal.close()
})
