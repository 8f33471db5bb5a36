import type { Page } from 'playwright-core'
import { type FormValues, normaliseForm, toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import type { PaymentAttempt } from '#contract/payment.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { until } from '#support/servers/portal.ts'
import type { Applicant } from './applicant.ts'

export type ConfirmedApplication = { appId: string; appNumber: string }

/** `token`: an access token of the applicant; without it each call refreshes the session of the page first. */
type CallOptions = { body?: object; token?: string }

/**
 * Creates and confirms an application by calls from the page of a signed-in applicant, for tests that begin after the
 * form. The applicant must have signed in by phone: the call leaves out the phone number of `form`.
 */
export async function createConfirmedApplication(
  page: Page,
  { form = firstPassport, token }: { form?: FormValues; token?: string } = {},
): Promise<ConfirmedApplication> {
  const session = token === undefined ? {} : { token }
  const { id, applicationNumber } = await call<{ id: string; applicationNumber: string }>(
    page,
    '/applications',
    { ...session, body: {} },
  )
  const body = { ...toWire(normaliseForm({ ...form, phoneNumber: '' })), additionalData: '', draft: false }
  await call(page, `/applications/${id}/confirmData`, { ...session, body })
  return { appId: id, appNumber: applicationNumber }
}

/**
 * Signs in, creates and confirms an application and pays for it, all by calls, for tests that begin after the payment.
 * Opens the list of applications and returns the application number.
 */
export async function openPaidApplication(
  applicant: Applicant,
  phone: string,
  form: FormValues = firstPassport,
): Promise<string> {
  const { page } = applicant
  const token = await applicant.signInByCalls(phone)
  const { appId, appNumber } = await createConfirmedApplication(page, { form, token })
  const start = `/payments/mock-payment-init?applicationId=${appId}`
  const payment = await call<{ id: string }>(page, start, { token, body: {} })
  await until('the demonstration payment', async () => {
    const path = `/payments/${payment.id}?applicationId=${appId}`
    const { paymentStatus } = await call<{ paymentStatus: string }>(page, path, { token })
    return paymentStatus === 'SUCCESS' ? true : undefined
  })
  await page.reload()
  await applicant.heading('procedure.heading')
  return appNumber
}

/** Returns how many applications the server has of the signed-in applicant. */
export async function countApplications(page: Page): Promise<number> {
  return (await call<unknown[]>(page, '/applications')).length
}

/** Returns all payment attempts of the application. */
export function readAttempts(page: Page, { appId }: ConfirmedApplication): Promise<PaymentAttempt[]> {
  return call<PaymentAttempt[]>(page, `/payments/applications/${appId}/attempts`)
}

/** Returns the surname that the server has of this application. */
export async function readSurname(page: Page, { appId }: ConfirmedApplication): Promise<string> {
  return (await call<{ surname: string }>(page, `/applications/${appId}/data`)).surname
}

/** Opens a card order and requests its page from the simulated CinetPay. Does not pay. */
export async function openCardAtGateway(page: Page, { appId }: ConfirmedApplication): Promise<void> {
  const start = `/payments/card-payment-init?applicationId=${appId}`
  const fields = await call<Record<string, string>>(page, start, { body: { method: 'CARD' } })
  const body = new URLSearchParams(Object.entries(fields).filter(([name]) => name !== 'payment_url'))
  const answer = await fetch(fields['payment_url'] ?? '', { method: 'POST', body })
  if (!answer.ok) throw new Error(`The card page answered ${answer.status}`)
}

/** Calls from the page: POST with a body, else GET. */
async function call<Data>(page: Page, path: string, options: CallOptions = {}): Promise<Data> {
  const answer = await page.evaluate(ask, { url: `${apiRoot}${path}`, ...options })
  if (answer.failure !== undefined) throw new Error(`${path}: ${answer.failure}`)
  return answer.data as Data // as the contract of this call has it
}

/** Runs in the page. */
async function ask({ url, body, token }: { url: string } & CallOptions) {
  const json = { 'content-type': 'application/json' }
  const refresh = async () => {
    const session = await fetch('/api/v1/refresh-token', { method: 'POST', headers: json, body: '{}' })
    return (await session.json()).data?.token
  }
  const answer = await fetch(url, {
    headers: { ...json, authorization: `Bearer ${token ?? (await refresh())}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return answer.ok ? { data: JSON.parse(text).data } : { failure: `${answer.status} ${text}` }
}
