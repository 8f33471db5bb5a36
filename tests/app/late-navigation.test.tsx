// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { type PendingSignIn, readPendingSignIn, savePendingSignIn } from '#sign-in/pending-sign-in.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { openAttempt, openPayment } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'
import { type FakeRequest, holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const callOf = ({ method, url }: FakeRequest) =>
  `${method} ${new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')}`

const visit = {
  id: 'visit-1',
  appointmentDate: '2026-07-01T08:00:00',
  nameOffice: 'Yaoundé',
  holdSeconds: 500,
}
const card = { ...openAttempt, methodType: 'CARD', method: 'CinetPay', next: 'waiting-for-card' }

const answers: Record<string, unknown> = {
  'GET /version': {
    version: '1',
    time: '2026-06-15T09:00:00Z',
    features: ['caseFile', 'cancelPayment'],
  },
  'GET /appointments/visit-1': { ...visit, receiptCode: null },
  'GET /appointments/expired': { ...visit, id: 'expired', receiptCode: null, holdSeconds: 0 },
  'POST /appointments/visit-1/confirm': true,
  'POST /appointments/visit-1': { ...visit, receiptCode: null },
  'GET /payments/payment-methods': [{ type: 'MOCK', enable: true, fee: 1, currency: 'XAF' }],
  'POST /payments/mock-payment-init': { ...openPayment, paymentStatus: 'SUCCESS' },
  'GET /payments/pay-1': openPayment,
  'GET /payments/applications/app-1/attempts': [card],
  'POST /payments/pay-1/cancel': { ...openPayment, paymentStatus: 'FAILED' },
  'POST /payments/pay-1/confirm': openPayment,
}

type Case = {
  path: string
  state: string
  /** The label of the button that starts the action. */
  button: string
  /** What the applicant does on the page before the press. */
  prepare?: () => void | Promise<void>
  /** The call of the action that the server answers only after the applicant has left the page. */
  held: string
}

const schedule = { path: '/schedule/app-1/PP-1/visit-1', state: 'PAYMENT_DONE' }
const finalizeCall = 'POST /appointments/visit-1/confirm'
const result = { path: '/payResult/app-1/PP-1/pay-1', state: 'DATA_SAVED' }
const list = 'GET /applications'
const logout = 'POST /refresh-token/logout'

const cases: [string, Case][] = [
  [
    'the data are confirmed',
    {
      path: '/confirm/app-1/PP-1',
      state: 'NEW',
      button: t('button.confirm'),
      held: 'POST /applications/app-1/confirmData',
    },
  ],
  [
    'a payment is ordered',
    {
      path: '/payment/app-1/PP-1',
      state: 'DATA_SAVED',
      button: t('button.pay'),
      prepare: () => portal.see(() => portal.choose('type', 'MOCK')),
      held: 'POST /payments/mock-payment-init',
    },
  ],
  [
    'the code of a payment is accepted',
    {
      path: '/payOtp/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      button: t('button.continue'),
      prepare: () => portal.see(() => portal.answer('otp', '123456')),
      held: 'POST /payments/pay-1/confirm',
    },
  ],
  [
    'a payment is cancelled',
    {
      ...result,
      button: t('cancelPayment.button'),
      prepare: () => portal.device.advance(300),
      held: 'POST /payments/pay-1/cancel',
    },
  ],
  [
    'the attempts are read after a payment was cancelled',
    {
      ...result,
      button: t('cancelPayment.button'),
      prepare: () => portal.device.advance(300),
      held: 'GET /payments/applications/app-1/attempts',
    },
  ],
  ['an appointment is confirmed', { ...schedule, button: t('button.finalize'), held: finalizeCall }],
  ['the list is read before a cancellation', { ...schedule, button: t('button.cancel'), held: list }],
  [
    'the list is read before the times are shown again',
    {
      ...schedule,
      path: '/schedule/app-1/PP-1/expired',
      button: t('schedule.chooseAgain'),
      held: list,
    },
  ],
]

it.each(cases)(
  'D137 an applicant who leaves while %s stays on the page that they opened',
  async (_name, each) => {
    const later = holdAnswer()
    let isPressed = false
    portal = await openPortal({
      path: each.path,
      state: each.state,
      data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
      answer(request) {
        const call = callOf(request)
        const data =
          answers[call] ?? (request.method === 'GET' ? listAnswers[call.slice('GET '.length)] : undefined)
        const answer = data === undefined ? defaultAnswers[call]?.(each.state) : { json: { data } }
        return isPressed && call === each.held && answer ? later.hold(answer) : answer
      },
    })
    await each.prepare?.()
    await portal.see(() => expect(portal.button(each.button)).toBeTruthy())
    isPressed = true
    portal.button(each.button).click()
    await portal.see(() => expect(later.isHeld()).toBe(true))
    await portal.services.navigation.go('/help')
    await portal.heading(t('help.heading'))
    later.release()
    await settle()
    expect(location.pathname).toBe('/help')
  },
)

const countLogouts = () => portal.requests.filter(each => callOf(each) === logout).length

/** Opens this sign-in page with a server that answers this call only after `release`, and presses Continue. */
async function pressContinue(
  path: string,
  { call, answer, ...options }: { call: string; answer: object } & Pick<PortalOptions, 'applicant' | 'texts'>,
  fill: () => void,
) {
  const later = holdAnswer()
  // The applicant may request another code at `until`, after a countdown of `length` seconds.
  const saved = {
    method: 'phone',
    value: '237671234567',
    until: Date.parse('2026-06-15T09:01:00Z'),
    length: 60,
  }
  portal = await openPortal({
    path: '/',
    ...options,
    answer: request => (callOf(request) === call ? later.hold(answer) : undefined),
  })
  if (path === '/password') portal.device.saveTabText('sign-in', JSON.stringify(saved))
  await portal.services.navigation.go(path)
  await portal.see(fill)
  portal.button(t('button.continue')).click()
  await portal.see(() => expect(later.isHeld()).toBe(true))
  return later
}

/** Sends the code of the sign-in, and opens the help before the answer comes. */
async function openHelpDuringSignIn(applicant: string) {
  const answer = { json: { data: { applicantId: applicant, token: makeToken({ applicantId: applicant }) } } }
  const login = { call: 'POST /login', answer, applicant }
  const code = await pressContinue('/password', login, () => portal.type('otp', '123456'))
  await portal.services.navigation.go('/help')
  await portal.heading(t('help.heading'))
  return code
}

/** Requests a code on a shared device, and leaves the page before this answer comes. */
async function leaveSharedDevice(answer: object) {
  const texts = { [deviceUseStorageKey]: 'shared' }
  const request = { call: 'POST /auth', answer, texts }
  const code = await pressContinue('/mobile', request, () => portal.type('phoneNumber', '671234567'))
  await portal.services.navigation.go('/')
  await portal.heading(t('welcome.heading'))
  code.release()
  await settle()
}

/** As if the applicant had requested a code for an e-mail address since, and could request the next one in 60 seconds. */
function saveNewerCode(): PendingSignIn {
  const until = portal.device.now() + 60_000
  const newer: PendingSignIn = { method: 'email', value: 'awa@example.cm', until, length: 60 }
  savePendingSignIn(portal.services, newer)
  return newer
}

it('D137 a late answer to the request for a code does not open the page of the code, which shows the number, for a person who has opened /mobile since', async () => {
  const sent = { call: 'POST /auth', answer: { json: { data: { statusCode: 0 } } } }
  const code = await pressContinue('/mobile', sent, () => portal.type('phoneNumber', '671234567'))
  await portal.services.navigation.go('/')
  await portal.heading(t('welcome.heading'))
  await portal.services.navigation.go('/mobile')
  await portal.heading(t('mobile.heading'))
  code.release()
  await settle()
  expect(location.pathname).toBe('/mobile')
})

it('D31 on a shared device, a late answer to the request for a code leaves no number and no notice for the next person', async () => {
  await leaveSharedDevice({ json: { data: { statusCode: 0 } } })
  expect(portal.notices.state().last).toBeUndefined()
  expect(readPendingSignIn(portal.services)).toBeUndefined()
})

it('D31 on a shared device, a late refusal of a code request shows no notice to the next person', async () => {
  await leaveSharedDevice({ status: 400, json: { statusCode: 400, message: 'refused' } })
  expect(portal.notices.state().last).toBeUndefined()
})

it('D137 a late answer to the request for a code keeps the newer code of another contact', async () => {
  const sent = { call: 'POST /auth', answer: { json: { data: { statusCode: 0 } } } }
  const code = await pressContinue('/mobile', sent, () => portal.type('phoneNumber', '671234567'))
  await portal.services.navigation.go('/mail')
  await portal.heading(t('mail.heading'))
  const newer = saveNewerCode()
  code.release()
  await portal.see(() => expect(portal.notices.state().last).toBeDefined())
  expect(readPendingSignIn(portal.services)).toEqual(newer)
})

it('D137 a late answer that no try is left keeps the newer code of another contact', async () => {
  const spent = { status: 400, json: { statusCode: 1, message: 'wrong', data: { triesLeft: 0 } } }
  const login = { call: 'POST /login', answer: spent }
  const code = await pressContinue('/password', login, () => portal.type('otp', '123456'))
  await portal.services.navigation.go('/mail')
  await portal.heading(t('mail.heading'))
  const newer = saveNewerCode()
  code.release()
  await portal.see(() => expect(portal.notices.state().last).toBeDefined())
  expect(readPendingSignIn(portal.services)).toEqual(newer)
})

it('D137 a late answer that a code has expired leaves the applicant on the page that they opened', async () => {
  const expired = { status: 400, json: { statusCode: 2, message: 'expired' } }
  const login = { call: 'POST /login', answer: expired }
  const code = await pressContinue('/password', login, () => portal.type('otp', '123456'))
  await portal.services.navigation.go('/help')
  await portal.heading(t('help.heading'))
  code.release()
  await settle()
  expect(location.pathname).toBe('/help')
})

it('D137 a late answer to a sign-in leaves the applicant on the page that they opened', async () => {
  const code = await openHelpDuringSignIn('left')
  code.release()
  await portal.see(() => expect(portal.notices.state().shown?.message).toEqual({ key: 'notice.welcome' }))
  await settle()
  expect(location.pathname).toBe('/help')
})

it('D137 a late answer to a sign-in opens the list for an applicant who has come back to the page of the code', async () => {
  const code = await openHelpDuringSignIn('back')
  await portal.services.navigation.go('/password')
  await portal.heading(t('password.heading'))
  code.release()
  await portal.see(() => expect(location.pathname).toBe('/procedure'))
})

it('D31 a sign-in that its applicant leaves while a shared device opens the storage keeps no session for the next person', async () => {
  const answer = { json: { data: { applicantId: 'left', token: makeToken({ applicantId: 'left' }) } } }
  const texts = { [deviceUseStorageKey]: 'shared' }
  const login = { call: 'POST /login', answer, texts, applicant: 'left' }
  const code = await pressContinue('/password', login, () => portal.type('otp', '123456'))
  const store = await portal.services.openStore()
  const setKey = store.setKey.bind(store)
  const opened = holdAnswer()
  const opening = vi.spyOn(store, 'setKey').mockImplementation(async (...given) => {
    await opened.hold(undefined)
    await setKey(...given)
  })
  code.release()
  await portal.see(() => expect(opening).toHaveBeenCalledOnce())
  await portal.services.navigation.go('/mobile')
  await portal.heading(t('mobile.heading'))
  const before = countLogouts()
  opened.release()
  await portal.seeAsTimePasses(() => expect(countLogouts()).toBe(before + 1))
  expect(portal.services.session.signedInId()).toBeUndefined()
  expect(location.pathname).not.toBe('/procedure')
})

it('D31 a sign-in that its applicant has left before the answer opens no session for the next person of a shared device', async () => {
  const answer = { json: { data: { applicantId: 'left', token: makeToken({ applicantId: 'left' }) } } }
  const texts = { [deviceUseStorageKey]: 'shared' }
  const login = { call: 'POST /login', answer, texts }
  const code = await pressContinue('/password', login, () => portal.type('otp', '123456'))
  await portal.services.navigation.go('/mobile')
  await portal.heading(t('mobile.heading'))
  const before = countLogouts()
  code.release()
  // The answer has set the cookie of a session, which stays open at the server until the portal logs out.
  await portal.seeAsTimePasses(() => expect(countLogouts()).toBe(before + 1))
  expect(location.pathname).toBe('/mobile')
  expect(portal.services.session.signedInId()).not.toBe('left')
})

it('D137 the open list shows a payment whose order was answered after the applicant had left the payment page', async () => {
  let attempts: unknown[] = []
  const order = holdAnswer()
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    answer({ url }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      if (path === '/payments/payment-methods')
        return { json: { data: [{ type: 'MOCK', enable: true, fee: 1, currency: 'XAF' }] } }
      if (path === '/payments/applications/app-1/attempts') return { json: { data: attempts } }
      if (path === '/payments') return { json: { data: [] } }
      if (path !== '/payments/mock-payment-init') return undefined
      return order.hold({ json: { data: openPayment } })
    },
  })
  await portal.see(() => portal.choose('type', 'MOCK'))
  await portal.see(() => expect(portal.button(t('button.pay'))).toBeTruthy())
  portal.button(t('button.pay')).click()
  await portal.see(() => expect(order.isHeld()).toBe(true))
  await portal.services.navigation.go('/procedure')
  await portal.heading(t('procedure.heading'))
  await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
  attempts = [openAttempt]
  order.release()
  await portal.see(() => expect(portal.main().textContent).toContain(t('payment.underWay')))
  expect(location.pathname).toBe('/procedure')
})

it('S56 the booking page opens the appointment when the server confirms it after the applicant has gone back to this page', async () => {
  let isBooked = false
  const confirmation = holdAnswer()
  portal = await openPortal({
    path: schedule.path,
    data: { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' },
    answer(request) {
      const call = callOf(request)
      const booked = { currentState: 'APPOINTMENT_SCHEDULED', appointment: { id: 'visit-1' } }
      const known = isBooked ? booked : { currentState: 'PAYMENT_DONE' }
      if (call === list) return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', ...known }] } }
      const data =
        answers[call] ?? (request.method === 'GET' ? listAnswers[call.slice('GET '.length)] : undefined)
      const answer = data === undefined ? undefined : { json: { data } }
      return call === finalizeCall && answer ? confirmation.hold(answer) : answer
    },
  })
  await portal.see(() => expect(portal.button(t('button.finalize'))).toBeTruthy())
  portal.button(t('button.finalize')).click()
  await portal.see(() => expect(confirmation.isHeld()).toBe(true))
  await portal.services.navigation.go('/appointment/app-1/PP-1')
  await portal.heading(t('appointment.heading'))
  isBooked = true
  confirmation.release()
  await portal.see(() => expect(location.pathname).toBe('/final/app-1/PP-1/visit-1'))
})

/** What the fake server answers anyway, for the calls that a case may hold. */
const defaultAnswers: Record<string, (state: string) => { json: unknown }> = {
  [list]: state => ({ json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: state }] } }),
  'POST /applications/app-1/confirmData': () => ({
    json: { data: { currentState: 'DATA_SAVED', version: 5, epoch: 'e1' } },
  }),
}
