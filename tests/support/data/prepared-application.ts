import type { Page } from 'playwright-core'
import { type FormValues, normaliseForm, toWire } from '#contract/application.ts'
import type { PaymentAttempt } from '#contract/payment.ts'

export type Prepared = { appId: string; appNumber: string }

/**
 * Creates and confirms an application by calls from the page of a signed-in applicant, for tests that begin after the
 * form.
 */
export async function prepareApplication(page: Page, form: FormValues): Promise<Prepared> {
  const body = { ...toWire(normaliseForm(form)), additionalData: '', draft: false }
  const { id, applicationNumber } = await call<{ id: string; applicationNumber: string }>(
    page,
    '/applications',
    {},
  )
  await call(page, `/applications/${id}/confirmData`, body)
  return { appId: id, appNumber: applicationNumber }
}

/** Returns how many applications the server has of the signed-in applicant. */
export async function countApplications(page: Page): Promise<number> {
  return (await call<unknown[]>(page, '/applications')).length
}

/** Returns all payment attempts of the application. */
export function readAttempts(page: Page, { appId }: Prepared): Promise<PaymentAttempt[]> {
  return call<PaymentAttempt[]>(page, `/payments/applications/${appId}/attempts`)
}

/** Opens a card order and its page at the simulated CinetPay, as a payer does who then returns without paying. */
export async function openCardAtGateway(page: Page, { appId }: Prepared): Promise<void> {
  const start = `/payments/card-payment-init?applicationId=${appId}`
  const fields = await call<Record<string, string>>(page, start, { method: 'CARD' })
  const body = new URLSearchParams(Object.entries(fields).filter(([name]) => name !== 'payment_url'))
  const answer = await fetch(fields['payment_url'] ?? '', { method: 'POST', body })
  if (!answer.ok) throw new Error(`The card page answered ${answer.status}`)
}

/** Calls with the session of the page: POST with a body, else GET. */
async function call<Data>(page: Page, path: string, body?: object): Promise<Data> {
  const answer = await page.evaluate(ask, { path, body })
  if (answer.failure !== undefined) throw new Error(`${path}: ${answer.failure}`)
  return answer.data as Data // as the contract of this call has it
}

/** Runs in the page. */
async function ask({ path, body }: { path: string; body: object | undefined }) {
  const json = { 'content-type': 'application/json' }
  const session = await fetch('/api/v1/refresh-token', { method: 'POST', headers: json, body: '{}' })
  const { data } = await session.json()
  const answer = await fetch(`/api/v1${path}`, {
    headers: { ...json, authorization: `Bearer ${data?.token}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return answer.ok ? { data: JSON.parse(text).data } : { failure: `${answer.status} ${text}` }
}
