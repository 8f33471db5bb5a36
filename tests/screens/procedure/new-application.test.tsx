// @vitest-environment happy-dom
// Imported before Dexie, because Dexie looks for the browser's IndexedDB when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { newDraft } from '#store/draft.ts'
import { findSpokenTexts } from '#shell/read-aloud.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { installFailingStorage, removeFailingStorage } from '#support/fixtures/portal-storage.ts'
import { textsOf } from '#support/data/texts.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** The server lists the application after its creation. */
async function openEmptyList() {
  let isCreated = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (new URL(url, 'http://portal.test').pathname !== '/api/v1/applications') return undefined
      if (method === 'POST') isCreated = true
      if (method === 'POST') return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
      return isCreated ? undefined : { json: { data: [] } }
    },
  })
}

it.each([
  ['me', 'for.me', undefined],
  ['child', 'for.child', 'forHint.child'],
  ['other', 'for.other', 'forHint.other'],
] as const)(
  'starts at once for "%s", and the form says when it asks for the data of another person, also aloud (LST09, LST14, NAV30)',
  async (_, label, hint) => {
    await openEmptyList()
    await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
    const tile = [...portal.main().querySelectorAll('button')].find(each =>
      each.textContent.startsWith(t(label)),
    )
    tile?.click()
    await portal.heading(t('tab.GeneralData'))
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.heading(t('tab.PersonData'))
    await portal.see(() =>
      expect(
        [t('forHint.child'), t('forHint.other')].filter(each => portal.main().textContent.includes(each)),
      ).toEqual(hint ? [t(hint)] : []),
    )
    const hints: string[] = [t('forHint.child'), t('forHint.other')]
    expect(findSpokenTexts(portal.main()).filter(each => hints.includes(each))).toEqual(hint ? [t(hint)] : [])
    expect(
      portal.requests.filter(({ url, method }) => method === 'POST' && url.endsWith('/applications')),
    ).toHaveLength(1)
  },
)

/** The accessible name, of the texts that `aria-labelledby` refers to, else of the content. */
function nameOf(button: Element): string {
  const ids = button.getAttribute('aria-labelledby')?.split(' ')
  return ids?.map(id => document.getElementById(id)?.textContent).join(' ') ?? button.textContent
}

it('has tiles whose accessible names begin with the words that they show first (WCAG 2.5.3, LST14, D4)', async () => {
  await openEmptyList()
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
  const names = [...portal.main().querySelectorAll('section button')].map(nameOf)
  expect(names).toEqual([`${t('for.me')} ${t('procedure.new')}`, t('for.child'), t('for.other')])
})

/** Opens the Person tab of `app-1`, and waits until it says whose data it asks for. */
async function seeHint(hint: 'forHint.child' | 'forHint.other') {
  await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await portal.heading(t('tab.PersonData'))
  await portal.see(() => expect(portal.main().textContent).toContain(t(hint)))
}

it('still knows whose data it asks for when the draft has the id of the server (LST14, D33)', async () => {
  portal = await openPortal({ path: '/procedure' })
  const { drafts, responses } = portal.store
  await drafts.update('local-1', () => newDraft({ values: emptyForm(), tab: 'GeneralData' }))
  await responses.write('for local-1', 'child')
  await drafts.move('local-1', 'app-1', draft => draft)
  await seeHint('forHint.child')
})

it('keeps the hint of an open application that a server of an older release returns as if it were new (LST14)', async () => {
  await openEmptyList()
  await portal.store.responses.write('for app-1', 'child')
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.other')))
  portal.button(t('for.other')).click()
  await portal.heading(t('tab.GeneralData'))
  await seeHint('forHint.child')
})

it('does not say whose data the form asks for, when another phone has started the application (LST14)', async () => {
  let isAsked = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (new URL(url, 'http://portal.test').pathname !== '/api/v1/applications') return undefined
      isAsked ||= method === 'POST'
      const application = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }
      if (method === 'POST') return { json: { data: { ...application, isExisting: true } } }
      // The list on this phone is older than the application.
      return { json: { data: isAsked ? [application] : [] } }
    },
  })
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.child')))
  portal.button(t('for.child')).click()
  await portal.heading(t('tab.GeneralData'))
  await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await portal.heading(t('tab.PersonData'))
  await portal.device.advance(1_000)
  expect(portal.main().textContent).not.toContain(t('forHint.child'))
  expect(await portal.store.responses.read('for app-1')).toBeUndefined()
})

it('says beside an open application that only one can be open (LST07)', async () => {
  portal = await openPortal({ path: '/procedure' })
  await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.oneAtATime')))
  expect(portal.main().textContent).not.toContain(t('for.question'))
})

it('stays on the page that the applicant has opened while the application was created (LST09)', async () => {
  let answerCreation = doNothing
  const mayAnswer = new Promise<void>(resolve => (answerCreation = resolve))
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (new URL(url, 'http://portal.test').pathname !== '/api/v1/applications') return undefined
      if (method === 'GET') return { json: { data: [] } }
      return mayAnswer.then(() => ({ json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }))
    },
  })
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
  const requested = (method: string, path: string) =>
    portal.requests.filter(each => each.method === method && each.url.includes(path))
  portal.main().querySelector<HTMLElement>('section button')?.click()
  // A request that was not sent before the applicant left would not be sent at all (D137).
  await portal.see(() => expect(requested('POST', '/applications')).toHaveLength(1))
  await portal.router.navigate({ to: '/help' })
  await portal.heading(t('help.heading'))
  answerCreation()
  // The tile begins to read the form just before it decides whether to open it.
  await portal.see(() => expect(requested('GET', '/applications/app-1/data')).toHaveLength(1))
  await portal.device.advance(1_000)
  expect(portal.router.state.location.pathname).toBe('/help')
})

it('opens the form at once when the server cannot start the application and the device is full (D30, D33)', async () => {
  const storage = installFailingStorage()
  try {
    portal = await openPortal({
      path: '/procedure',
      answer({ url, method }) {
        if (new URL(url, 'http://portal.test').pathname !== '/api/v1/applications') return undefined
        return method === 'POST' ? { status: 503, json: { statusCode: 503 } } : { json: { data: [] } }
      },
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
    storage.trouble = 'disk is full'
    portal.main().querySelector<HTMLElement>('section button')?.click()
    await portal.heading(t('tab.GeneralData'))
    // The sync will create the application: a message to try again would be untrue.
    expect(portal.services.sync.list()).toHaveLength(1)
    expect(document.body.textContent).not.toContain(t('notice.offline'))
  } finally {
    storage.trouble = 'none'
    removeFailingStorage()
  }
})
