// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import type { Portal, PortalOptions } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'
import { complete, openForm, serverRefusing, summaryLinks, waitForDebounce } from './form-screen-fixture.ts'

const t = textsOf('fr')
const required = t('issue.required')
let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

describe('Submit', () => {
  it('sends the whole form and opens the confirmation (FRM13 FRM19 ERR10)', async () => {
    portal = await openForm('NicData', complete)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const [save] = portal.requests.filter(({ method }) => method === 'POST')
    expect(save?.url).toBe('/api/v1/applications/app-1/data')
    expect(save?.body).toEqual({ ...toWire(firstPassport), additionalData: 'kept', draft: false })
    expect(save?.headers.get('idempotency-key')).toBeTruthy()
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.dataStored' })
  })

  it('shows the heading of the tab until the next page comes (NAV05, FRM13)', async () => {
    portal = await openForm('NicData', complete)
    const headings = new Set<string | undefined>()
    const watch = new MutationObserver(() => headings.add(document.querySelector('h1')?.textContent))
    watch.observe(document.body, { subtree: true, childList: true, characterData: true })
    portal.button(t('button.submit')).click()
    await portal.heading(t('confirm.heading'))
    watch.disconnect()
    expect([...headings].filter(each => each !== undefined)).toEqual([t('tab.NicData'), t('confirm.heading')])
  })

  it('opens the first tab that has an issue (S54)', async () => {
    portal = await openForm('NicData', {
      data: { ...complete.data, travelDestination: '', motherSurname: '' },
    })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() =>
      expect(summaryLinks()).toEqual([
        t('form.fault', { field: t('field.travelDestination'), fault: required }),
      ]),
    )
    expect(portal.requests.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('waits while the device is offline, says so in view and saves the answers (D33)', async () => {
    portal = await openForm('NicData', complete)
    const scrolled: Element[] = []
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      scrolled.push(this)
    })
    portal.device.setOnline(false)
    portal.answer('nicNumber', '999')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    // The text may come after the scroll.
    const texts = () => scrolled.map(({ textContent }) => textContent)
    await portal.see(() => expect(texts()).toEqual([t('form.submitWaits')]))
    expect(portal.requests.some(({ method }) => method === 'POST')).toBe(false)
    await portal.see(async () =>
      expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe('999'),
    )
  })

  it('is sent later, and its later changes only after their issues are corrected (D33)', async () => {
    portal = await openForm('NicData', complete)
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.answer('nicNumber', '')
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitFaulty')))
    portal.device.setOnline(true)
    await portal.device.advance(10_000)
    // The submitted form is sent unchanged, under its key.
    // The locks of the fake device never wait, so a form may be sent twice; then both calls have one key.
    const posts = () => portal.requests.filter(({ method }) => method === 'POST')
    const sent = () => [
      ...new Map(posts().map(({ headers, body }) => [headers.get('idempotency-key'), body])).values(),
    ]
    await portal.see(() =>
      expect(sent()).toEqual([expect.objectContaining({ nicNumber: firstPassport.nicNumber, draft: false })]),
    )
    portal.answer('nicNumber', '777')
    await portal.seeAsTimePasses(() => {
      expect(sent()).toHaveLength(2)
      expect(sent()[1]).toMatchObject({ nicNumber: '777', draft: false })
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitThrough')))
  })

  it('makes the link to the confirmation the main button once the waiting form was sent, until an answer changes (D33)', async () => {
    portal = await openForm('NicData', complete)
    const mainButtons = () =>
      [...portal.main().querySelectorAll('[class*="primary"]')].map(each => each.textContent)
    portal.device.setOnline(false)
    portal.answer('nicNumber', '777')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    expect(mainButtons()).toEqual([t('button.submit')])
    portal.device.setOnline(true)
    await portal.device.advance(10_000)
    await portal.see(() => expect(mainButtons()).toEqual([t('form.goToConfirm')]))
    const keys = () =>
      new Set(
        portal.requests
          .filter(({ method }) => method === 'POST')
          .map(({ headers }) => headers.get('idempotency-key')),
      )
    expect(keys().size).toBe(1)
    portal.answer('nicNumber', '778')
    await portal.see(() => expect(mainButtons()).toEqual([t('button.submit')]))
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    expect(keys().size).toBe(2)
  })

  it('shows the issues of the server under their fields (ERR09)', async () => {
    portal = await openForm('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.PersonData'))
    await portal.see(() => expect(portal.fault('localityId')).toBe(t('issue.not-in-list')))
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.fieldsWrong' })
    portal.answer('surname', 'Mbock')
    await portal.see(() => expect(portal.named('surname').value).toBe('Mbock'))
    expect(portal.fault('localityId')).toBe(t('issue.not-in-list'))
    portal.type('regionCode', 'WEST')
    await portal.see(() => expect(portal.fault('localityId')).toBeUndefined())
  })

  it('leaves the applicant on a page that they have opened while the form was sent, when the server refuses it (D137)', async () => {
    const refused = holdAnswer()
    const answer: PortalOptions['answer'] = request => {
      const refusal = serverRefusing('localityId')(request)
      return refusal && refused.hold(refusal)
    }
    portal = await openForm('NicData', { ...complete, answer })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(refused.isHeld()).toBe(true))
    await portal.router.navigate({ to: '/procedure' })
    await portal.heading(t('procedure.heading'))
    refused.release()
    await portal.see(() => expect(portal.notices.state().last).toBeDefined())
    await settle()
    expect(location.pathname).toBe('/procedure')
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.uploadFailed' })
  })

  it('still shows an issue of the server under the last edited field after the debounce (ERR09)', async () => {
    portal = await openForm('NicData', { ...complete, answer: serverRefusing('nicNumber') })
    portal.type('nicNumber', '777')
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list')))
    await waitForDebounce(portal)
    expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list'))
  })

  it('is sent again by the next press, although no answer has changed since the server refused it (FRM13)', async () => {
    const refuse = serverRefusing('nicNumber')
    let isRefusing = true
    portal = await openForm('NicData', {
      ...complete,
      answer: request => (isRefusing ? refuse(request) : undefined),
    })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.fault('nicNumber')).toBe(t('issue.not-in-list')))
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckRefused')))
    isRefusing = false
    // The button is busy until the first press has ended.
    await portal.see(() => portal.button(t('button.submit')).click())
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })

  it('says nothing about the answers when the service refuses the applicant, and opens the welcome page (ERR09, ERR12)', async () => {
    portal = await openForm('NicData', {
      ...complete,
      answer: ({ method }) =>
        method === 'POST' ? { status: 403, json: { statusCode: 403, reason: 'forbidden' } } : undefined,
    })
    const raised: unknown[] = []
    const { raise } = portal.notices
    portal.notices.raise = (...notice) => (raised.push(notice[1]), raise(...notice))
    portal.button(t('button.submit')).click()
    await portal.heading(t('welcome.heading'))
    await portal.see(() => expect(document.querySelector('[aria-disabled]')).toBeNull())
    expect(raised).toEqual([])
  })

  it('says so and keeps the answers when a waiting submit is refused (ERR26 S89)', async () => {
    portal = await openForm('NicData', { ...complete, answer: serverRefusing('localityId') })
    portal.device.setOnline(false)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.submitWaits')))
    portal.device.setOnline(true)
    await portal.seeAsTimePasses(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.uploadFailed' }),
    )
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.stuckRefused')))
    expect(location.pathname).toBe('/form/app-1/PP-1/NicData')
    expect((await portal.store.drafts.read('app-1'))?.values.nicNumber).toBe(firstPassport.nicNumber)
  })

  it('raises the service notice when the server fails, and retries under the same key (ERR08)', async () => {
    let broken = true
    portal = await openForm('NicData', {
      ...complete,
      answer: ({ method }) =>
        method === 'POST' && broken ? { status: 503, json: { statusCode: 503 } } : undefined,
    })
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(portal.requests.some(({ method }) => method === 'POST')).toBe(true))
    await portal.see(() => expect(portal.button(t('button.submit')).getAttribute('aria-disabled')).toBeNull())
    expect(portal.notices.state().last).toMatchObject({ message: { key: 'notice.serviceUnavailable' } })
    broken = false
    portal.device.setOnline(true)
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    const keys = portal.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'))
    // Going online may have sent the form before the second press, which then has its own key.
    const [first, second] = keys
    expect(first).toBeDefined()
    expect(second).toBe(first)
  })

  it('sends the form once when it is pressed three times', async () => {
    portal = await openForm('NicData', complete)
    const submit = portal.button(t('button.submit'))
    submit.click()
    submit.click()
    submit.click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
    expect(portal.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})
