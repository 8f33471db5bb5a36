// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const missing = vi.hoisted(() => ({ isMissing: true }))

// The screen imports this file when it needs it, so the mock also reaches a screen that an earlier test file has loaded.
vi.mock(import('#screens/procedure/unknown-drafts.tsx'), async loadOriginal => {
  if (missing.isMissing) throw new TypeError('Failed to fetch dynamically imported module')
  return loadOriginal()
})

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

it('says that a part of the list could not be loaded, and loads it on demand: only it shows these answers (D63)', async () => {
  portal = await openPortal({
    path: '/procedure',
    answer: ({ method, url }) =>
      method === 'GET' && new URL(url, 'http://portal.test').pathname.endsWith('/applications')
        ? { json: { data: [] } }
        : undefined,
  })
  const draft = newDraft({ values: firstPassport, tab: 'PersonData' })
  await portal.store.drafts.update('app-9', () => draft)
  await portal.see(() => expect(portal.main().textContent).toContain(t('part.failed')))
  expect(portal.main().textContent).toContain(t('for.question'))
  missing.isMissing = false
  portal.button(t('button.retry')).click()
  await portal.see(() => expect(portal.main().textContent).toContain(t('unknown.heading')))
  expect(portal.main().textContent).toContain(firstPassport.surname)
  expect(portal.main().textContent).not.toContain(t('part.failed'))
})
