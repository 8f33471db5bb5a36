// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { openForm } from './form-screen-fixture.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

function refusedAt(part: string, status: number): NonNullable<PortalOptions['answer']> {
  return ({ url }) => (url.includes(part) ? { status, json: { statusCode: status } } : undefined)
}

describe('the opening of the form', () => {
  it('shows the heading together with the fields, and moves the focus to it (D136)', async () => {
    const data = holdAnswer()
    portal = await openPortal({
      path: '/procedure',
      answer: ({ url, method }) =>
        method === 'GET' && url.includes('/app-1/data')
          ? data.hold({ json: { data: emptyForm() } })
          : undefined,
    })
    await portal.heading(t('procedure.heading'))
    void portal.router.navigate({ href: '/form/app-1/PP-1/GeneralData' })
    await portal.see(() => expect(data.isHeld()).toBe(true))
    await portal.see(() => expect(document.activeElement?.id).toBe('main'))
    expect(document.querySelector('h1')).toBeNull()
    expect(portal.main().textContent).toContain(t('app.loading'))
    data.release()
    await portal.heading(t('tab.GeneralData'))
    expect(portal.named('travelDestination')).toBeTruthy()
    await portal.see(() => expect(document.activeElement?.id).toBe('heading'))
  })

  it('moves the focus from the retry button to the heading, which keeps it, when the applicant loads the form again', async () => {
    let isBroken = true
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      answer: request => (isBroken ? refusedAt('/app-1/data', 404)(request) : undefined),
    })
    const retry = await portal.see(() => portal.button(t('button.retry')))
    isBroken = false
    retry.focus()
    retry.click()
    await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
    expect(document.activeElement?.id).toBe('heading')
  })
})

describe('a page that loads', () => {
  it('has a title of its own, not that of the page that the portal started from (NAV05)', async () => {
    const form = holdAnswer()
    document.title = 'Sign in by e-mail – Electronic passport'
    portal = await openPortal({
      path: '/form/app-1/PP-1/PersonData',
      answer: ({ url }) => (url.includes('/data') ? form.hold({ json: { data: emptyForm() } }) : undefined),
    })
    await portal.see(() => expect(form.isHeld()).toBe(true))
    await portal.see(() => expect(portal.main().textContent).toContain(t('app.loading')))
    expect(document.title).toBe(t('app.title', { page: t('tab.PersonData') }))
    form.release()
    await portal.heading(t('tab.PersonData'))
  })
})

describe('a form that cannot be loaded', () => {
  it('says so and retries on request, and the heading keeps the focus', async () => {
    let broken = true
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      data: { travelDestination: 'France' },
      answer: ({ url }) =>
        broken && url.endsWith('/app-1/data') ? { status: 500, json: { statusCode: 500 } } : undefined,
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.loadFailed')))
    broken = false
    const heading = document.getElementById('heading')
    heading?.focus()
    portal.button(t('button.retry')).click()
    await portal.see(() => expect(portal.named('travelDestination').value).toBe('France'))
    // If the heading lost the focus, Tab would begin at the top of the page.
    expect(document.activeElement).toBe(heading)
  })
})

describe('an application that was deleted just after the list was read', () => {
  it('opens no empty form, and says that it was deleted (S56, LST16)', async () => {
    portal = await openPortal({
      path: '/form/app-1/PP-1/GeneralData',
      data: { currentState: 'DELETED' },
      state: 'NEW',
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.deleted')))
    expect(portal.main().querySelector('form')).toBeNull()
    expect(portal.main().textContent).toContain(t('procedure.heading'))
  })

  it('opens with the answers that this device has (LST16)', async () => {
    portal = await openPortal({ path: '/procedure', data: { currentState: 'DELETED' }, state: 'NEW' })
    const draft = newDraft({ values: firstPassport, tab: 'PersonData' })
    await portal.store.drafts.update('app-1', () => draft)
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckGone')))
  })
})

describe('a refusal while the form is open', () => {
  it.each([403, 429])(
    'with %i of the refresh opens the welcome page, which offers the list (SES06, ERR12, D89)',
    async status => {
      portal = await openForm('GeneralData', { answer: refusedAt('/refresh-token', status) })
      await portal.device.advance(450_000)
      await portal.heading(t('welcome.heading'))
      await portal.see(() => expect(portal.main().textContent).toContain(t('welcome.toProcedure')))
    },
  )

  it.each([403, 429])('with %i of the list of a select keeps the form open (D89)', async status => {
    portal = await openForm('PersonData', { answer: refusedAt('/dictionary/', status) })
    await portal.see(() =>
      expect(portal.requests.some(({ url }) => url.includes('/dictionary/professions'))).toBe(true),
    )
    await portal.see(() => expect(portal.main().textContent).toContain(t('select.fetchOptionsError')))
    expect(document.querySelector('h1')?.textContent).toBe(t('tab.PersonData'))
  })
})
