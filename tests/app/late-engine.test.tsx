// @vitest-environment happy-dom
// Before Dexie, which takes the database of the browser when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')

const engine = vi.hoisted(() => {
  const later = { arrive: () => {} }
  const arrived = new Promise<void>(resolve => (later.arrive = resolve))
  return { later, arrived }
})

// The file of the sync engine arrives only when the test says so, as on a line that hangs.
vi.mock(import('#app/portal-sync.ts'), async loadOriginal => {
  await engine.arrived
  return loadOriginal()
})

let portal: Portal
afterEach(() => portal.close())

it('D31 starts no application of the next applicant when the code of the sync loads only after the log-out (D33, D63)', async () => {
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (new URL(url, 'http://portal.test').pathname !== '/api/v1/applications') return undefined
      return method === 'POST' ? 'no connection' : { json: { data: [] } }
    },
  })
  // Earlier answers without a draft: the applicant can start a new application with them.
  const draft = newDraft({ values: minorWithRepresentative, tab: 'ParentData' })
  await portal.store.drafts.update('app-1', () => draft)
  await portal.store.drafts.update('app-1', () => undefined)
  await portal.router.navigate({ to: '/help' })
  await portal.router.navigate({ to: '/procedure' })
  await portal.see(() => portal.button(t('unknown.restart')).click())
  await portal.pressNewApplication()
  await portal.see(() => expect(portal.requests.some(({ method }) => method === 'POST')).toBe(true))
  await settle()

  await portal.services.session.logOut()
  const applicantId = crypto.randomUUID()
  await portal.services.session.begin({
    token: makeToken({ applicantId }),
    draftKey: 'secret of the next',
  })
  await portal.router.navigate({ href: '/procedure' })
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
  portal.notices.dismiss()
  engine.later.arrive()
  // The engine sends the drafts that it finds.
  await portal.see(() => expect(portal.services.sync.list()).toEqual([]))
  await vi.dynamicImportSettled()
  await settle()
  expect(portal.services.session.signedInId()).toBe(applicantId)
  expect(await portal.store.drafts.all()).toEqual([])
  expect(location.pathname).toBe('/procedure')
  expect(portal.notices.state().shown).toBeUndefined()
})
