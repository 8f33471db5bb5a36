// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
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
  ['me', 'procedure.new', undefined],
  ['child', 'for.child', 'forHint.child'],
  ['other', 'for.other', 'forHint.other'],
] as const)(
  'starts at once for "%s", and the form says whose data it asks for (LST09, LST14)',
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
    expect(
      portal.requests.filter(({ url, method }) => method === 'POST' && url.endsWith('/applications')),
    ).toHaveLength(1)
  },
)

/** Opens the Person tab of `app-1`, and waits until it says whose data it asks for. */
async function seeHint(hint: 'forHint.child' | 'forHint.other') {
  await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
  await portal.heading(t('tab.PersonData'))
  await portal.see(() => expect(portal.main().textContent).toContain(t(hint)))
}

it('still knows whose data it asks for when the draft has the id of the server (LST14, D33)', async () => {
  portal = await openPortal({ path: '/procedure' })
  const { drafts, lastSeen } = portal.store
  await drafts.update('local-1', () => newDraft({ values: emptyForm(), tab: 'GeneralData' }))
  await lastSeen.write('for local-1', 'child')
  await drafts.move('local-1', 'app-1', draft => draft)
  await seeHint('forHint.child')
})

it('keeps the first answer when the server answers with an open application (LST14)', async () => {
  await openEmptyList()
  await portal.store.lastSeen.write('for app-1', 'child')
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.other')))
  portal.button(t('for.other')).click()
  await portal.heading(t('tab.GeneralData'))
  await seeHint('forHint.child')
})

it('says beside an open application that only one can be open (LST07)', async () => {
  portal = await openPortal({ path: '/procedure' })
  await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.oneAtATime')))
  expect(portal.main().textContent).not.toContain(t('for.question'))
})
