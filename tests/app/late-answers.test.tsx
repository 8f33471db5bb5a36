// @vitest-environment happy-dom
// Before Dexie, which takes the database of the browser when it is imported.
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import type { FakeRequest } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
let next: { applicantId: string; token: string }

beforeEach(() => {
  const applicantId = crypto.randomUUID()
  next = { applicantId, token: makeToken({ applicantId }) }
})
afterEach(() => portal.close())

/**
 * The call that the server answers only when the test says so: with `json`, with `text`, or that it is busy; without any of
 * them, the connection breaks.
 */
type Held = {
  method: 'GET' | 'POST'
  path: string
  json?: unknown
  text?: string
  busySeconds?: number
}

const pathOf = ({ url }: FakeRequest) => new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
const appointment = {
  id: 'visit-1',
  appointmentDate: '2026-07-01T08:00:00',
  nameOffice: 'Yaoundé',
  holdSeconds: 500,
  receiptCode: null,
}

const mockMethod = { type: 'MOCK', enable: true, fee: 1, currency: 'XAF' }

const busyFor = (seconds: number) => ({
  status: 503,
  headers: { 'retry-after': `${seconds}` },
  json: { statusCode: 503, reason: 'busy', data: { statusCode: 503 } },
})

/** Opens a page. The server answers the held call only after `respond`. */
async function openHolding(
  { method, path, json, text, busySeconds }: Held,
  options: Omit<PortalOptions, 'answer'>,
) {
  const later = { respond: () => {} }
  const released = new Promise<void>(resolve => (later.respond = resolve))
  const isHeld = (request: { method: string; url: string }) =>
    request.method === method && pathOf(request as FakeRequest) === path
  portal = await openPortal({
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    ...options,
    answer(request) {
      const authorization = request.headers.get('authorization')
      if (authorization === null && pathOf(request).startsWith('/applications'))
        return { status: 401, json: { statusCode: 401 } }
      if (isHeld(request))
        return released.then(() => {
          if (busySeconds !== undefined) return busyFor(busySeconds)
          if (text !== undefined) return { text }
          return json === undefined ? 'no connection' : { json }
        })
      if (authorization === `Bearer ${next.token}` && pathOf(request) === '/applications')
        return { json: { data: [] } }
      if (pathOf(request) === '/appointments/visit-1') return { json: { data: appointment } }
      if (pathOf(request) === '/payments/payment-methods') return { json: { data: [mockMethod] } }
      const list = request.method === 'GET' ? listAnswers[pathOf(request)] : undefined
      if (list !== undefined) return { json: { data: list } }
      return undefined
    },
  })
  return {
    async press(label: string) {
      await portal.see(() => portal.button(label).click())
      await portal.see(() => expect(portal.requests.filter(isHeld)).toHaveLength(1))
    },
    respond: later.respond,
    isHeld,
  }
}

/** The applicant logs out, and the next one signs in on the same page. The device is not a shared one. */
async function signInNext() {
  await portal.services.session.logOut()
  await portal.services.session.begin({ token: next.token, draftKey: 'secret of the next' })
  await portal.router.navigate({ href: '/procedure' })
  await portal.heading(t('procedure.heading'))
  await portal.see(() => expect(portal.main().textContent).toContain(t('for.question')))
  portal.notices.dismiss()
}

const signedInId = () => portal.services.session.signedInId()
const tileForMe = () =>
  [...portal.main().querySelectorAll('button')].find(each => each.textContent.startsWith(t('for.me')))

/** What the next applicant sees, and what the device has under their key. */
async function expectNothingOfTheEarlierSession() {
  await settle()
  expect(signedInId()).toBe(next.applicantId)
  expect(location.pathname).toBe('/procedure')
  expect(portal.notices.state()).toEqual({ shown: undefined, last: undefined })
  expect(await portal.store.drafts.all()).toEqual([])
  const names = await portal.store.responses.namesWith('')
  expect(names.filter(name => /app-1|visit-1|PP-1/.test(name))).toEqual([])
  expect(portal.main().textContent).not.toContain('PP-1')
  expect([...portal.device.downloads, ...portal.device.openedAddresses]).toEqual([])
}

const keepAccount = {
  method: 'POST',
  path: '/account/keep',
} as const

describe('an answer that comes after its session has ended', () => {
  it('opens no session again after the log-out (D31, S80)', async () => {
    const token = makeToken({ applicantId: 'ada' })
    const page = await openHolding(
      { ...keepAccount, json: { data: { token, draftKey: 'secret of ada' } } },
      { path: '/procedure', applicant: 'ada', claims: { deletesAt: '2026-06-20T09:00:00Z' } },
    )
    await page.press(t('account.keep'))
    await portal.services.session.logOut()
    page.respond()
    await settle()
    expect(signedInId()).toBeUndefined()
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.loggedOut' })
  })

  it('does not replace the session of the next applicant (D31)', async () => {
    const token = makeToken({ applicantId: 'ada' })
    const page = await openHolding(
      { ...keepAccount, json: { data: { token, draftKey: 'secret of ada' } } },
      { path: '/procedure', applicant: 'ada', claims: { deletesAt: '2026-06-20T09:00:00Z' } },
    )
    await page.press(t('account.keep'))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it.each([
    ['an answer', { data: { id: 'app-1', applicationNumber: 'PP-1' } }],
    ['no answer', undefined],
  ])('starts no application for the next applicant: %s (D31, D33)', async (_name, json) => {
    const page = await openHolding(
      { method: 'POST', path: '/applications', json },
      { path: '/procedure', state: 'FAILED' },
    )
    await portal.see(() => {
      expect(tileForMe()).toBeDefined()
      tileForMe()?.click()
    })
    await portal.see(() => expect(portal.requests.filter(page.isHeld)).toHaveLength(1))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it('saves no confirmed form for the next applicant (D31, D62)', async () => {
    const page = await openHolding(
      {
        method: 'POST',
        path: '/applications/app-1/confirmData',
        json: { data: { currentState: 'DATA_SAVED', version: 5, epoch: 'e1' } },
      },
      { path: '/confirm/app-1/PP-1' },
    )
    await page.press(t('button.confirm'))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it('confirms no appointment to the next applicant (D31)', async () => {
    const page = await openHolding(
      { method: 'POST', path: '/appointments/visit-1/confirm', json: { data: true } },
      { path: '/schedule/app-1/PP-1/visit-1', state: 'PAYMENT_DONE' },
    )
    await page.press(t('button.finalize'))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it.each([
    ['that of the server', false],
    ['that of the device', true],
  ])('gives no receipt to the next applicant: %s (D31, D37)', async (_name, isCached) => {
    const text = '%PDF-1.7\n%%EOF'
    const page = await openHolding(
      { method: 'GET', path: '/applications/app-1/get-pdf', text },
      { path: '/final/app-1/PP-1/visit-1', state: 'APPOINTMENT_SCHEDULED' },
    )
    if (isCached) await portal.store.responses.writeFile('receipt app-1 for-visit-1', new Blob([text]))
    await page.press(t('button.downloadPdf'))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it('opens no payment to the next applicant (D31, D42)', async () => {
    const page = await openHolding(
      {
        method: 'POST',
        path: '/payments/mock-payment-init',
        json: { data: { id: 'pay-1', paymentStatus: 'IN_PROGRESS', amount: 1, currency: 'XAF' } },
      },
      { path: '/payment/app-1/PP-1', state: 'DATA_SAVED' },
    )
    await portal.see(() => portal.choose('type', 'MOCK'))
    await page.press(t('button.pay'))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })

  it('is not cached for the next applicant (D31)', async () => {
    const page = await openHolding(
      {
        method: 'GET',
        path: '/applications/app-1/data',
        json: { data: { ...toWire(firstPassport), additionalData: '' } },
      },
      { path: '/confirm/app-1/PP-1' },
    )
    await portal.see(() => expect(portal.requests.filter(page.isHeld)).toHaveLength(1))
    await signInNext()
    page.respond()
    await expectNothingOfTheEarlierSession()
  })
})

it('a creation that a busy service put off starts no application for the next applicant (D31, D33, D92)', async () => {
  const page = await openHolding(
    { method: 'POST', path: '/applications', busySeconds: 60 },
    { path: '/procedure', state: 'FAILED' },
  )
  await portal.see(() => expect(tileForMe()).toBeDefined())
  tileForMe()?.click()
  await portal.see(() => expect(portal.requests.filter(page.isHeld)).toHaveLength(1))
  page.respond()
  await settle()
  await signInNext()
  await portal.device.advance(60_000)
  await expectNothingOfTheEarlierSession()
  expect(portal.requests.filter(page.isHeld), 'sent again').toHaveLength(1)
})

it('D31 a form whose save takes long saves no answer for the next applicant, who has signed in since', async () => {
  portal = await openPortal({
    path: '/form/app-1/PP-1/PersonData',
    data: { ...toWire(firstPassport), additionalData: '', version: 4 },
    answer: request =>
      request.headers.get('authorization') === `Bearer ${next.token}` && pathOf(request) === '/applications'
        ? { json: { data: [] } }
        : undefined,
  })
  await portal.see(() => expect(portal.named('surname').value).toBe(firstPassport.surname))
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle)
  const later = { mayEncrypt: () => {} }
  const held = new Promise<void>(resolve => (later.mayEncrypt = resolve))
  const spy = vi.spyOn(crypto.subtle, 'encrypt').mockImplementationOnce(async (...parts) => {
    await held
    return encrypt(...parts)
  })
  portal.answer('surname', 'First')
  await portal.see(() => expect(spy).toHaveBeenCalled())
  portal.type('surname', 'Second')
  const leaving = portal.services.session.logOut()
  // The log-out does not wait for a save that hangs longer than its timeout.
  await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/'))
  await leaving
  await portal.services.session.begin({ token: next.token, draftKey: 'secret of the next' })
  later.mayEncrypt()
  await settle()
  spy.mockRestore()
  expect(await portal.store.drafts.all()).toEqual([])
})

describe('a sign-in while another applicant is signed in on the page (S50)', () => {
  it('shows nothing of the earlier account (D31)', async () => {
    const account = {
      contacts: [{ kind: 'phone', start: '+237 6', end: '4242' }],
      sessions: [],
      events: [],
    }
    portal = await openPortal({
      path: '/account',
      answer(request) {
        if (pathOf(request) !== '/account') return undefined
        const isNext = request.headers.get('authorization') === `Bearer ${next.token}`
        return isNext ? 'hangs' : { json: { data: account } }
      },
    })
    await portal.see(() => expect(portal.main().textContent).toContain('4242'))
    await portal.router.navigate({ href: '/mobile' })
    await portal.services.session.begin({ token: next.token, draftKey: 'secret of the next' })
    await portal.router.navigate({ href: '/account' })
    await portal.heading(t('account.heading'))
    await settle()
    expect(portal.main().textContent).not.toContain('4242')
    expect(signedInId()).toBe(next.applicantId)
  })
})
