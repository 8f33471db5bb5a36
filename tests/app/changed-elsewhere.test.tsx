// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { emitVisibilityChange } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { doNothing } from '#device/do-nothing.ts'
import { watchSessionStart } from '#app/on-session-start.ts'
import { settle } from '#support/settle.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { stopDateInEachTest } from './stopped-date.ts'

const t = textsOf('fr')
let portal: Portal

stopDateInEachTest(() => portal.close())

const office = { fr: 'Bureau de Yaoundé', en: 'Yaoundé office' }
const first = { id: 'visit-1', appointmentDate: '2026-07-06T09:30', office }
const second = { id: 'visit-2', appointmentDate: '2026-07-13T09:30', office }

const answers: Record<string, unknown> = {
  ...listAnswers,
  '/payments/payment-methods': [{ type: 'MOBILE', enable: true, fee: 110_000, currency: 'XAF' }],
  '/appointments/countries': { data: [{ id: 10998, name: 'Cameroun' }] },
  '/appointments/countries/10998/cities': { data: [{ id: 1, name: 'Yaoundé' }] },
  '/appointments/offices': { data: [{ id: 1, name: 'Bureau', address: 'Etoudi' }] },
  '/appointments/offices/1/available-dates': { data: ['2026-06-16'] },
  '/appointments/offices/1/available-slots': { data: ['08:00:00', '09:30:00'] },
}

const refused = { statusCode: 409, reason: 'wrong-state', message: 'Ce n’est plus possible.' }
/** Of a back end that sends no reasons. */
const refusedWithoutReason = { status: 409, json: { statusCode: 409 } }
const refusedCalls = [
  'POST /appointments',
  'POST /applications/app-1/confirmData',
  'POST /payments/pay-1/confirm',
  'POST /payments/mobile-payment-init',
]

type Server = {
  /** In `DATA_SAVED` the data are confirmed, and may be confirmed again. */
  currentState: string
  appointment?: { id: string } | null
  isDeleted?: boolean
  isUnreachable?: boolean
  /** Only the list of applications can be read. */
  isUnreachableAfterList?: boolean
  /** The answer to a call of `refusedCalls`. */
  refusal?: { status: number; json: object }
  /** What something between the phone and the server answers to every read. */
  proxyStatus?: number
  /** Holds the answer to the list. */
  hold?: ReturnType<typeof holdAnswer>
}

/** Opens a page. A test then changes `server`, as another device of the applicant or the office does. */
async function open(path: string, server: Server) {
  portal = await openPortal({
    path,
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    answer({ url, method }) {
      if (server.isUnreachable) return 'no connection'
      if (server.proxyStatus && method === 'GET')
        return { status: server.proxyStatus, json: { statusCode: server.proxyStatus } }
      const address = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      const { currentState, appointment } = server
      const call = `${method} ${address}`
      if (call === 'GET /applications') {
        const list = [{ id: 'app-1', applicationNumber: 'PP-1', currentState, appointment }]
        const answer = { json: { data: server.isDeleted ? [] : list } }
        return server.hold ? server.hold.hold(answer) : answer
      }
      const visit = [first, second].find(({ id }) => address === `/appointments/${id}`)
      if (visit && !server.isUnreachableAfterList)
        return { json: { data: { ...visit, nameOffice: 'Bureau', receiptCode: null } } }
      if (server.isUnreachableAfterList) return 'no connection'
      if (refusedCalls.includes(call)) return server.refusal ?? { status: 409, json: refused }
      if (address === '/applications/app-1/get-pdf') return { text: `%PDF-1.7\n${appointment?.id}\n%%EOF` }
      const data = method === 'GET' ? answers[address] : undefined
      return data === undefined ? undefined : { json: { data } }
    },
  })
}

/** The applicant looks at the page again after some time. */
function comeBack() {
  vi.advanceTimersByTime(60_000)
  emitVisibilityChange()
}

const booked = { currentState: 'APPOINTMENT_SCHEDULED', appointment: first }
const changed = { currentState: 'APPOINTMENT_CHANGED', appointment: second }

async function openFinal(): Promise<Server> {
  const server: Server = { ...booked }
  await open('/final/app-1/PP-1/visit-1', server)
  await portal.see(() => expect(portal.main().textContent).toContain('6 juillet'))
  return server
}

/** Comes back without a connection, and waits until the portal has learned that nothing answers. */
async function comeBackOffline(server: Server) {
  server.isUnreachable = true
  const count = portal.requests.length
  comeBack()
  await portal.see(() => expect(portal.requests.length).toBeGreaterThan(count))
  await portal.device.advance(10_000)
}

describe('a page that was open while another device or the office acted (D129)', () => {
  it('shows the new time on the list when the applicant comes back to it', async () => {
    const server: Server = { ...booked }
    await open('/procedure', server)
    await portal.see(() => expect(portal.main().textContent).toContain('6 juillet'))
    Object.assign(server, changed)
    comeBack()
    await portal.see(() => expect(portal.main().textContent).toContain('13 juillet'))
    expect(portal.main().textContent).not.toContain('6 juillet')
  })

  it('opens the new appointment in place of the one that was changed (S56)', async () => {
    const server = await openFinal()
    Object.assign(server, changed)
    comeBack()
    await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-2'))
    await portal.see(() => expect(portal.main().textContent).toContain('13 juillet'))
  })

  it('gives no receipt of the earlier appointment when the applicant asks offline for that of the new one (D37)', async () => {
    const server = await openFinal()
    const files: Promise<string>[] = []
    portal.device.download = file => void files.push(file.text())
    const press = () => portal.button(t('button.downloadPdf')).click()
    press()
    await portal.see(() => expect(files).toHaveLength(1))
    Object.assign(server, changed)
    comeBack()
    await portal.see(() => expect(portal.main().textContent).toContain('13 juillet'))
    await comeBackOffline(server)
    press()
    await settle()
    expect(files).toHaveLength(1)
    // The new one is there as soon as this device has loaded it once.
    server.isUnreachable = false
    await portal.device.advance(60_000)
    await portal.see(() => expect(portal.services.connectivity.isUnreachable()).toBe(false))
    press()
    await portal.see(() => expect(files).toHaveLength(2))
    await comeBackOffline(server)
    press()
    await portal.see(() => expect(files).toHaveLength(3))
    expect(await Promise.all(files)).toEqual(
      ['visit-1', 'visit-2', 'visit-2'].map(id => expect.stringContaining(id)),
    )
  })

  it('does not keep an appointment that the office has cancelled (S56)', async () => {
    const server = await openFinal()
    Object.assign(server, { currentState: 'APPOINTMENT_CANCELED', appointment: null })
    comeBack()
    await portal.see(() => expect(location.pathname).toBe('/appointment/app-1/PP-1'))
  })

  it('keeps the appointment when the applicant comes back without a connection (D37)', async () => {
    const server = await openFinal()
    await portal.device.advance(10_000)
    await comeBackOffline(server)
    expect(portal.main().textContent).toContain('6 juillet')
    expect(location.pathname).toBe('/final/app-1/PP-1/visit-1')
  })

  it('keeps the appointment when the applicant comes back without a connection, and the device could not save the newest list (D37)', async () => {
    const server: Server = { currentState: 'PAYMENT_DONE' }
    await open('/procedure', server)
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.open.appointment')))
    await portal.device.advance(1_000)
    vi.spyOn(portal.store.responses, 'write').mockResolvedValue(undefined)
    Object.assign(server, booked)
    vi.advanceTimersByTime(60_000)
    await portal.services.navigation.go('/final/app-1/PP-1/visit-1')
    await portal.see(() => expect(portal.main().textContent).toContain('6 juillet'))
    await comeBackOffline(server)
    expect(portal.main().textContent).toContain('6 juillet')
    expect(location.pathname).toBe('/final/app-1/PP-1/visit-1')
  })

  it('opens the list when the applicant has deleted the application on another device (S56)', async () => {
    const server = await openFinal()
    server.isDeleted = true
    comeBack()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })

  it.each([
    ['this server', undefined],
    ['a back end without reasons', refusedWithoutReason],
  ])(
    'opens the appointment that another device has booked, when %s refuses Confirm for it (S56)',
    async (_who, refusal) => {
      const server: Server = { currentState: 'PAYMENT_DONE', ...(refusal && { refusal }) }
      await open('/appointment/app-1/PP-1', server)
      await portal.see(() => expect(portal.named('time').value).not.toBe(''))
      Object.assign(server, booked)
      portal.button(t('button.confirm')).click()
      await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-1'))
      // The page has another time than the applicant has chosen.
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.changeRefused' })
    },
  )

  it('says at once that the appointment cannot be changed, before the list is read, when another device has booked (ERR23)', async () => {
    const server: Server = { currentState: 'PAYMENT_DONE' }
    await open('/appointment/app-1/PP-1', server)
    await portal.see(() => expect(portal.named('time').value).not.toBe(''))
    server.hold = holdAnswer()
    Object.assign(server, booked)
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(server.hold?.isHeld()).toBe(true))
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.changeRefused' }),
    )
    server.hold.release()
    await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-1'))
  })

  it('keeps the chosen time when Confirm is refused for another reason (ERR21)', async () => {
    const server: Server = { currentState: 'PAYMENT_DONE', refusal: refusedWithoutReason }
    await open('/appointment/app-1/PP-1', server)
    await portal.see(() => expect(portal.named('time').value).toBe('08:00:00'))
    portal.answer('time', '09:30:00')
    await portal.see(() => expect(portal.named('time').value).toBe('09:30:00'))
    const form = portal.main().querySelector('form')
    portal.button(t('button.confirm')).click()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'notice.scheduleNotReady' }),
    )
    expect(portal.named('time').value).toBe('09:30:00')
    expect(portal.main().querySelector('form')).toBe(form)
  })

  it('opens the booking page of an application that another device has confirmed and paid, when Confirm is refused for it (S56)', async () => {
    const server: Server = { currentState: 'DATA_SAVED' }
    await open('/confirm/app-1/PP-1', server)
    await portal.see(() => expect(portal.button(t('button.confirm'))).toBeTruthy())
    server.currentState = 'PAYMENT_DONE'
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/appointment/app-1/PP-1'))
  })

  it('opens the form, when Pay is refused because a restored server no longer knows that the data were confirmed (S56, D62)', async () => {
    const server: Server = { currentState: 'DATA_SAVED' }
    await open('/payment/app-1/PP-1', server)
    await portal.see(() => portal.choose('type', 'MOBILE'))
    await portal.see(() => portal.type('phone', '677123456'))
    server.currentState = 'NEW'
    portal.button(t('button.pay')).click()
    await portal.see(() => expect(location.pathname).toContain('/form/app-1/PP-1'))
  })

  it('does not speak of the number that pays when another device has paid (ERR14, S56)', async () => {
    const server: Server = { currentState: 'DATA_SAVED' }
    await open('/payment/app-1/PP-1', server)
    await portal.see(() => portal.choose('type', 'MOBILE'))
    await portal.see(() => portal.type('phone', '677123456'))
    const raise = vi.spyOn(portal.notices, 'raise')
    server.currentState = 'PAYMENT_DONE'
    portal.button(t('button.pay')).click()
    await portal.see(() => expect(location.pathname).toBe('/appointment/app-1/PP-1'))
    expect(raise).not.toHaveBeenCalled()
  })

  it('says only that Pay failed when it is refused for the state, and the list shows no other one (ERR13)', async () => {
    const server: Server = { currentState: 'DATA_SAVED' }
    await open('/payment/app-1/PP-1', server)
    await portal.see(() => portal.choose('type', 'MOBILE'))
    await portal.see(() => portal.type('phone', '677123456'))
    portal.button(t('button.pay')).click()
    await portal.see(() => expect(portal.notices.state().last?.message).toEqual({ key: 'notice.generic' }))
    expect(location.pathname).toBe('/payment/app-1/PP-1')
    expect(portal.main().textContent).toContain(t('notice.generic'))
  })

  it('opens the result of a payment that awaits no code any more, when the code is refused for it (PAY24)', async () => {
    await open('/payOtp/app-1/PP-1/pay-1', { currentState: 'DATA_SAVED' })
    await portal.see(() => portal.answer('otp', '123456'))
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    expect(portal.notices.state().last?.message).toEqual({ text: refused.message })
  })
})

/** The page of a portal that started offline gets the first token of its session. */
async function getFirstToken() {
  let notify = doNothing
  let token: string | undefined
  const { services } = portal
  const session = {
    ...services.session,
    token: () => token,
    subscribe(listener: () => void) {
      notify = listener
      return () => {}
    },
  }
  watchSessionStart({ ...services, session })
  token = services.session.token()
  notify()
}

/**
 * Opens a page and waits until all is read. Then lets a proxy refuse the reads that `begin` causes, and waits for their end.
 */
async function openAndRefuse(
  { path, state, proxyStatus }: { path: string; state: Server; proxyStatus: number },
  begin: () => Promise<void>,
) {
  const server: Server = { ...state }
  await open(path, server)
  const { queryClient } = await portal.services.openQueries()
  const seeNothingRead = () => portal.see(() => expect(queryClient.isFetching()).toBe(0))
  await portal.see(() => expect(portal.main().querySelector('button')).toBeTruthy())
  await seeNothingRead()
  // The lists of a page are read one after the other: between two of them nothing is read for a moment.
  await settle()
  await seeNothingRead()
  const count = portal.requests.length
  server.proxyStatus = proxyStatus
  await begin()
  await portal.see(() => expect(portal.requests.length).toBeGreaterThan(count))
  await seeNothingRead()
  await settle()
}

async function openUnreadReservation(): Promise<Server> {
  const server: Server = { currentState: 'PAYMENT_DONE', isUnreachableAfterList: true }
  await open('/schedule/app-1/PP-1/visit-1', server)
  await portal.see(() => expect(portal.button(t('button.retry'))).toBeTruthy())
  return server
}

describe('a read that the portal begins itself, and that something between the phone and the server refuses (D89)', () => {
  it.each([
    ['the final page', 403, '/final/app-1/PP-1/visit-1', booked],
    ['the final page', 429, '/final/app-1/PP-1/visit-1', booked],
    ['the payment', 403, '/payment/app-1/PP-1', { currentState: 'DATA_SAVED' }],
    ['the reservation', 403, '/schedule/app-1/PP-1/visit-1', { currentState: 'PAYMENT_DONE' }],
  ])('stays on %s after status %i', async (_page, proxyStatus, path, state) => {
    await openAndRefuse({ path, state, proxyStatus }, async () => comeBack())
    expect(location.pathname).toBe(path)
  })

  it('stays on the page also when the first try of the read got no answer', async () => {
    const server = await openFinal()
    const { queryClient } = await portal.services.openQueries()
    const count = portal.requests.length
    server.isUnreachable = true
    comeBack()
    await portal.see(() => expect(portal.requests.length).toBeGreaterThan(count))
    Object.assign(server, { isUnreachable: false, proxyStatus: 403 })
    await portal.see(() => expect(queryClient.isFetching()).toBe(0))
    await settle()
    expect(location.pathname).toBe('/final/app-1/PP-1/visit-1')
  })

  it.each([
    ['the list', '/procedure', booked, '6 juillet'],
    ['the final page', '/final/app-1/PP-1/visit-1', booked, t('form.loadFailed')],
    ['the data', '/confirm/app-1/PP-1', { currentState: 'NEW' }, t('form.loadFailed')],
    ['the appointment', '/appointment/app-1/PP-1', { currentState: 'PAYMENT_DONE' }, 'Bureau'],
    ['the reservation', '/schedule/app-1/PP-1/visit-1', { currentState: 'PAYMENT_DONE' }, 'Bureau'],
  ])('stays on %s when a page that started offline gets its token', async (_page, path, state, text) => {
    await openAndRefuse({ path, state, proxyStatus: 403 }, getFirstToken)
    expect(location.pathname).toBe(path)
    expect(portal.main().textContent).toContain(text)
  })

  it('stays on a page that could not be loaded, and says so, when the connection is back', async () => {
    const server = await openUnreadReservation()
    const { queries, queryClient } = await portal.services.openQueries()
    Object.assign(server, { isUnreachableAfterList: false, proxyStatus: 403 })
    const count = portal.requests.length
    await queries.readFailed(queryClient)
    expect(portal.requests.length).toBeGreaterThan(count)
    await settle()
    expect(location.pathname).toBe('/schedule/app-1/PP-1/visit-1')
    expect(portal.button(t('button.retry'))).toBeTruthy()
  })
})

describe('a read that the applicant begins, and that something between the phone and the server refuses (D89)', () => {
  it('opens the welcome page when it is the retry of a read that had no answer (ERR12, S84)', async () => {
    const server = await openUnreadReservation()
    const { queries, queryClient } = await portal.services.openQueries()
    await queries.readFailed(queryClient)
    Object.assign(server, { isUnreachableAfterList: false, proxyStatus: 403 })
    await portal.see(() => portal.button(t('button.retry')).click())
    await portal.see(() => expect(location.pathname).toBe('/'))
  })

  it('opens the welcome page when it is the list that the applicant opens (ERR12, S84)', async () => {
    const server = await openFinal()
    server.proxyStatus = 403
    vi.advanceTimersByTime(60_000)
    portal.button(t('button.close')).click()
    await portal.see(() => expect(location.pathname).toBe('/'))
  })
})
