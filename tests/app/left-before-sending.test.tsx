// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { listAnswers } from '#support/data/list-answers.ts'
import { openAttempt, openPayment } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { type FakeRequest, holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
/** The answer for which the portal waits when the applicant leaves the page. */
let awaited: ReturnType<typeof holdAnswer>
let isPressed: boolean
beforeEach(() => {
  awaited = holdAnswer()
  isPressed = false
})
afterEach(() => portal.close())

const callOf = ({ method, url }: FakeRequest) =>
  `${method} ${new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')}`

const data = { ...toWire(firstPassport), additionalData: '', version: 4, epoch: 'e1' }
const visit = {
  id: 'visit-1',
  appointmentDate: '2026-07-01T08:00:00',
  nameOffice: 'Yaoundé',
  holdSeconds: 500,
  receiptCode: null,
}
const probe = 'GET /version'
const answers: Record<string, unknown> = {
  [probe]: { version: '1', time: '2026-06-15T09:00:00Z', features: ['caseFile', 'cancelPayment'] },
  'GET /appointments/visit-1': visit,
  'POST /appointments/visit-1/confirm': true,
  'GET /payments/payment-methods': [{ type: 'MOCK', enable: true, fee: 1, currency: 'XAF' }],
  'POST /payments/mock-payment-init': openPayment,
  'GET /payments/pay-1': openPayment,
  'GET /payments/applications/app-1/attempts': [openAttempt],
  'POST /payments/pay-1/cancel': { ...openPayment, paymentStatus: 'FAILED' },
  'POST /payments/pay-1/confirm': openPayment,
}

const answerTo = (call: string) => (call in answers ? { json: { data: answers[call] } } : undefined)

type Case = {
  path: string
  state: string
  /** The label of the button that starts the action. */
  button: string
  /** What the applicant does on the page before the press. */
  prepare?: () => void | Promise<void>
  /** The call of the action, which must not be sent. */
  call: string
}

const cases: [string, Case][] = [
  [
    'confirms no data',
    {
      path: '/confirm/app-1/PP-1',
      state: 'NEW',
      button: t('button.confirm'),
      call: 'POST /applications/app-1/confirmData',
    },
  ],
  [
    'orders no payment',
    {
      path: '/payment/app-1/PP-1',
      state: 'DATA_SAVED',
      button: t('button.pay'),
      prepare: () => portal.see(() => portal.choose('type', 'MOCK')),
      call: 'POST /payments/mock-payment-init',
    },
  ],
  [
    'sends no code of a payment',
    {
      path: '/payOtp/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      button: t('button.continue'),
      prepare: () => portal.see(() => portal.answer('otp', '123456')),
      call: 'POST /payments/pay-1/confirm',
    },
  ],
  [
    'cancels no payment',
    {
      path: '/payResult/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      button: t('cancelPayment.button'),
      prepare: () => portal.device.advance(300),
      call: 'POST /payments/pay-1/cancel',
    },
  ],
  [
    'confirms no appointment',
    {
      path: '/schedule/app-1/PP-1/visit-1',
      state: 'PAYMENT_DONE',
      button: t('button.finalize'),
      call: 'POST /appointments/visit-1/confirm',
    },
  ],
]

it.each(cases)(
  'D137 an applicant who leaves while the portal still looks for the service %s',
  async (_name, each) => {
    await openWithHeldProbe(each)
    await pressAndLeave(each.button)
    expect(portal.requests.map(callOf)).not.toContain(each.call)
  },
)

it.each(cases)(
  'D137 an applicant who leaves and comes back while the portal still looks for the service %s',
  async (_name, each) => {
    await openWithHeldProbe(each)
    await pressAndLeave(each.button, { returnTo: each.path })
    expect(portal.requests.map(callOf)).not.toContain(each.call)
  },
)

it('D137 an applicant who leaves while the portal asks the server for its card gateways orders no payment', async () => {
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    data,
    claims: { exp: Date.parse('2026-06-15T10:00:00Z') / 1_000 },
    answer(request) {
      const call = callOf(request)
      if (call === 'GET /payments/applications/app-1/attempts') return { json: { data: [] } }
      const answer = answerTo(call)
      return isPressed && call === probe && answer ? awaited.hold(answer) : answer
    },
  })
  await portal.see(() => portal.choose('type', 'MOCK'))
  await portal.see(() => expect(portal.button(t('button.pay'))).toBeTruthy())
  // The last answer to `/version`, which lists the card gateways, is no longer fresh.
  await portal.device.advance(11 * 60_000)
  await pressAndLeave(t('button.pay'))
  expect(portal.requests.map(callOf)).not.toContain('POST /payments/mock-payment-init')
})

it('D137 an applicant who leaves while the portal renews an expired token sends no second order', async () => {
  const order = 'POST /payments/mock-payment-init'
  const newToken = () => makeToken({ applicantId: portal.applicant, jti: 'new' })
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    data,
    answer(request) {
      const call = callOf(request)
      if (call === 'GET /payments/applications/app-1/attempts') return { json: { data: [] } }
      if (call === order) return { status: 401, json: { statusCode: 401 } }
      if (!isPressed || call !== 'POST /refresh-token') return answerTo(call)
      return awaited.hold({ json: { data: { token: newToken() } } })
    },
  })
  await portal.see(() => portal.choose('type', 'MOCK'))
  await pressAndLeave(t('button.pay'))
  await portal.see(() => expect(portal.services.session.token()).toBe(newToken()))
  await settle()
  expect(portal.requests.map(callOf).filter(call => call === order)).toHaveLength(1)
})

it('D137 an applicant who leaves while the portal asks whether the server accepts drafts confirms no data', async () => {
  portal = await openPortal({
    path: '/confirm/app-1/PP-1',
    state: 'NEW',
    data,
    answer(request) {
      if (callOf(request) !== probe) return undefined
      return isPressed ? awaited.hold({ json: { data: answers[probe] } }) : 'no connection'
    },
  })
  await portal.see(() => expect(portal.button(t('button.confirm'))).toBeTruthy())
  await pressAndLeave(t('button.confirm'))
  expect(portal.requests.map(callOf)).not.toContain('POST /applications/app-1/confirmData')
})

it('D137 an applicant who leaves while the portal reads the list of applications cancels no reservation', async () => {
  const list = [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'PAYMENT_DONE', appointment: null }]
  portal = await openPortal({
    path: '/schedule/app-1/PP-1/visit-1',
    state: 'PAYMENT_DONE',
    answer(request) {
      const call = callOf(request)
      if (call !== 'GET /applications') return answerTo(call)
      const answer = { json: { data: list } }
      return isPressed ? awaited.hold(answer) : answer
    },
  })
  await portal.see(() => expect(portal.button(t('button.cancel'))).toBeTruthy())
  await pressAndLeave(t('button.cancel'))
  const sent = portal.requests.map(callOf).filter(call => call.startsWith('POST /appointments'))
  expect(sent).toEqual([])
})

/** Opens the page; then a call gets no answer, so the press probes the service. The probe waits for `awaited`. */
async function openWithHeldProbe({ path, state, button, prepare }: Case): Promise<void> {
  portal = await openPortal({
    path,
    state,
    data,
    answer(request) {
      const call = callOf(request)
      const list = request.method === 'GET' ? listAnswers[call.slice('GET '.length)] : undefined
      const answer = answerTo(call) ?? (list === undefined ? undefined : { json: { data: list } })
      return isPressed && call === probe && answer ? awaited.hold(answer) : answer
    },
  })
  await prepare?.()
  await portal.see(() => expect(portal.button(button)).toBeTruthy())
  portal.services.connectivity.reportResponse('no-answer')
}

/**
 * Presses the button, opens the help page while the portal waits for the answer, and lets the answer come. With `returnTo`
 * it opens that page again before the answer.
 */
async function pressAndLeave(button: string, { returnTo }: { returnTo?: string } = {}): Promise<void> {
  isPressed = true
  portal.button(button).click()
  await portal.see(() => expect(awaited.isHeld()).toBe(true))
  await portal.services.navigation.go('/help')
  await portal.heading(t('help.heading'))
  if (returnTo !== undefined) {
    await portal.services.navigation.go(returnTo)
    await portal.see(() => expect(portal.button(button)).toBeTruthy())
  }
  awaited.release()
  await settle()
}
