// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const missing = vi.hoisted(() => ({ isMissing: true }))

// The screen imports this file when it needs it, so the mock also reaches a screen that an earlier test file has loaded.
vi.mock(import('#screens/form/conflict-form.tsx'), async loadOriginal => {
  if (missing.isMissing) throw new TypeError('Failed to fetch dynamically imported module')
  return loadOriginal()
})

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

it('says that the choice between two answers could not be loaded, and loads it on demand (D32)', async () => {
  portal = await openPortal({ path: '/procedure' })
  const base = { version: 1, additionalData: '', values: firstPassport, at: 1 }
  const draft = newDraft({
    values: { ...firstPassport, surname: 'Mbock' },
    tab: 'PersonData',
    base,
    theirs: { ...base, version: 2, values: { ...firstPassport, surname: 'Mvondo' } },
  })
  const { drafts } = await portal.services.openStore()
  await drafts.update('app-1', () => draft)
  await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await portal.see(() => expect(portal.main().textContent).toContain(t('form.choiceOpen')))
  await portal.see(() => expect(portal.main().textContent).toContain(t('form.choiceFailed')))
  missing.isMissing = false
  portal.button(t('button.retry')).click()
  await portal.see(() => expect(portal.button(t('choice.done'))).toBeDefined())
  expect(portal.main().textContent).not.toContain(t('form.choiceFailed'))
})
