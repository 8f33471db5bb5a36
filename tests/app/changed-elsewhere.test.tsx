// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { emitVisibilityChange } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
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
const refusedCalls = [
  'POST /appointments',
  'POST /applications/app-1/confirmData',
  'POST /payments/pay-1/confirm',
  'POST /payments/mobile-payment-init',
]

type Server = {
  currentState: string
  appointment?: object
  isDeleted?: boolean
  isUnreachable?: boolean
}

/** Opens a page. A test then changes `server`, as another device of the applicant or the office does. */
async function open(path: string, server: Server) {
  portal = await openPortal({
    path,
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    answer({ url, method }) {
      if (server.isUnreachable) return 'no connection'
      const address = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      const { currentState, appointment } = server
      const call = `${method} ${address}`
      if (call === 'GET /applications') {
        const list = [{ id: 'app-1', applicationNumber: 'PP-1', currentState, appointment }]
        return { json: { data: server.isDeleted ? [] : list } }
      }
      const visit = [first, second].find(({ id }) => address === `/appointments/${id}`)
      if (visit) return { json: { data: { ...visit, nameOffice: 'Bureau', receiptCode: null } } }
      if (refusedCalls.includes(call)) return { status: 409, json: refused }
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
    expect(location.pathname).toBe('/final/app-1/PP-1/visit-1')
  })

  it('opens the list when the applicant has deleted the application on another device (S56)', async () => {
    const server = await openFinal()
    server.isDeleted = true
    comeBack()
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
  })

  it('opens the appointment that another device has booked, when Confirm is refused for it (S56)', async () => {
    const server: Server = { currentState: 'PAYMENT_DONE' }
    await open('/appointment/app-1/PP-1', server)
    await portal.see(() => expect(portal.named('time').value).not.toBe(''))
    Object.assign(server, booked)
    portal.button(t('button.confirm')).click()
    await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-1'))
    // The page has another time than the applicant has chosen.
    expect(portal.notices.state().last?.message).toEqual({ key: 'notice.changeRefused' })
  })

  it('keeps the chosen time when Confirm is refused for another reason (ERR21)', async () => {
    const server: Server = { currentState: 'PAYMENT_DONE' }
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

  it('opens the booking of an application that another device has confirmed and paid, when Confirm is refused for it (S56)', async () => {
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

  it('opens the result of a payment that awaits no code any more, when the code is refused for it (PAY24)', async () => {
    await open('/payOtp/app-1/PP-1/pay-1', { currentState: 'DATA_SAVED' })
    await portal.see(() => portal.answer('otp', '123456'))
    portal.button(t('button.continue')).click()
    await portal.see(() => expect(location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    expect(portal.notices.state().last?.message).toEqual({ text: refused.message })
  })
})
