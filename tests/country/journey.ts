import { setTimeout as pause } from 'node:timers/promises'
import { type FormValues, toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { largeOfficeId } from '#support/data/paying-applicants.ts'
import {
  type ApplicantClient,
  createApplicantClient,
  TestOverError,
  type ClientSettings,
} from './applicant-client.ts'

/** What the service has confirmed to one applicant so far. All of it must be true in the database. */
export type Promised = {
  phone: string
  isSignedIn?: boolean
  applicationId?: string
  applicationNumber?: string
  /** The surname of the last save that was acknowledged. */
  savedSurname?: string
  isConfirmed?: boolean
  paidOrder?: string
  /** The appointment that was confirmed. */
  appointmentId?: string
  appointmentDate?: string
  isComplete?: boolean
}

export type JourneySettings = ClientSettings & {
  /** The last nine digits of the phone. */
  subscriber: string
  codes: Map<string, string>
  /** Mean pause after a step, such as a tab of the form. */
  thinkMs: number
  /** Answers of the form, instead of those of `firstPassport`. The journey always sets surname and phone number itself. */
  answers?: Partial<FormValues>
  /** The applicant leaves after the sign-in. */
  onlySignsIn?: boolean | undefined
}

/**
 * Goes from the sign-in to the receipt, and writes what the service promises into `promised`. Resolves when the journey
 * is complete or the test has ended. @throws when the service refuses what it must not refuse
 */
export async function goToReceipt(settings: JourneySettings, promised: Promised): Promise<void> {
  const client = createApplicantClient(settings)
  try {
    await signIn(client, settings, promised)
    promised.isSignedIn = true
    if (settings.onlySignsIn) return
    await fillForm(client, settings, promised)
    await pay(client, settings, promised)
    await book(client, settings, promised)
    await client.get(`/applications/${promised.applicationId}/get-pdf?lg=fr`)
    await client.post('/refresh-token/logout')
    promised.isComplete = true
  } catch (error) {
    if (!(error instanceof TestOverError)) throw error
  } finally {
    client.close()
  }
}

async function signIn(client: ApplicantClient, settings: JourneySettings, promised: Promised): Promise<void> {
  const contact = { msisdn: promised.phone, email: '' }
  await client.get('/version')
  const session = await enterCode(client, settings, contact)
  client.setToken(textOf(session['data'], 'token'))
  await client.get(`/applications?applicantId=${textOf(session['data'], 'applicantId')}`)
  await think(settings)
}

/** Asks for another code when the code has expired, for example because its SMS came late. */
async function enterCode(
  client: ApplicantClient,
  settings: JourneySettings,
  contact: Contact,
): Promise<Record<string, unknown>> {
  for (;;) {
    const otp = await askForCode(client, settings, contact)
    const answer = await client.post('/login?lg=fr', { ...contact, otp })
    if (answer['reason'] !== 'code-expired') return answer
    settings.codes.delete(contact.msisdn)
  }
}

type Contact = { msisdn: string; email: string }

/** Asks again when no code arrives in time: a process that was killed may have claimed the message. */
async function askForCode(
  client: ApplicantClient,
  settings: JourneySettings,
  contact: Contact,
): Promise<string> {
  const { codes, signal } = settings
  for (;;) {
    const { data } = await client.post('/auth?lg=fr', contact)
    // 9: the answer to an earlier request was lost, and its code is on the way.
    const statusCode = fieldOf(data, 'statusCode')
    if (statusCode !== 0 && statusCode !== 9) throw new Error(`No code: ${JSON.stringify(data)}`)
    for (const endMs = performance.now() + resendMs; performance.now() < endMs;) {
      const code = codes.get(contact.msisdn)
      if (code !== undefined) return code
      if (signal.aborted) throw new TestOverError()
      await pause(50)
    }
  }
}

/** A second longer than the countdown of the code page. */
const resendMs = 61_000

async function fillForm(
  client: ApplicantClient,
  settings: JourneySettings,
  promised: Promised,
): Promise<void> {
  const created = await client.post('/applications?lg=fr')
  const id = textOf(created['data'], 'id')
  promised.applicationId = id
  promised.applicationNumber = textOf(created['data'], 'applicationNumber')
  const form = {
    ...firstPassport,
    ...settings.answers,
    phoneNumber: settings.subscriber,
    surname: 'NGO',
  }
  for (const tab of ['GENERAL', 'PERSON', 'PARENT', 'NIC']) {
    const surname = `${form.surname} ${tab}`
    await client.post(`/applications/${id}/data?lg=fr`, { ...toWire({ ...form, surname }), draft: true })
    promised.savedSurname = surname
    await think(settings)
  }
  await client.get(`/applications/${id}/data`)
  const last = `${form.surname} ${settings.subscriber.slice(-4).replaceAll(/\d/g, digit => String.fromCharCode(65 + Number(digit)))}`
  await client.post(`/applications/${id}/confirmData?lg=fr`, toWire({ ...form, surname: last }))
  promised.savedSurname = last
  promised.isConfirmed = true
  await think(settings)
}

async function pay(client: ApplicantClient, settings: JourneySettings, promised: Promised): Promise<void> {
  const id = promised.applicationId
  await client.get(`/payments/payment-methods?applicationId=${id}`)
  for (;;) {
    const order = await payOnce(client, promised)
    if (order !== undefined) {
      promised.paidOrder = order
      break
    }
    await pause(payAgainMs)
  }
  await think(settings)
}

/**
 * The same payer may be asked for the same amount again a minute after the last try of the service to reach the provider. This
 * try may be some seconds after the applicant has read the failure.
 */
const payAgainMs = 66_000

/**
 * Returns the order that was paid. Undefined when the order did not reach the provider: nothing was paid, and the portal
 * offers another try.
 */
async function payOnce(client: ApplicantClient, promised: Promised): Promise<string | undefined> {
  const id = promised.applicationId
  const started = await client.post(
    `/payments/mobile-payment-init?applicationId=${id}&phone=${promised.phone}`,
  )
  const payment = textOf(started['data'], 'id')
  for (;;) {
    const { data } = await client.get(`/payments/${payment}?applicationId=${id}&wait=true`)
    const status = textOf(data, 'paymentStatus')
    if (status === 'SUCCESS') return textOf(data, 'orderId')
    if (status === 'ERROR' && isTriedAgain(textOf(data, 'failure'))) return undefined
    if (status === 'ERROR') throw new Error(`The payment failed: ${JSON.stringify(data)}`)
    await pause(1_000)
  }
}

/** `no-answer`: the provider does not know the order. `operator-down`: the service did not send it. */
function isTriedAgain(failure: string): boolean {
  return failure === 'no-answer' || failure === 'operator-down'
}

async function book(client: ApplicantClient, settings: JourneySettings, promised: Promised): Promise<void> {
  const { applicationId } = promised
  const officeId = String(largeOfficeId)
  for (const path of ['countries?lg=fr', 'countries/10998/cities?lg=fr', 'offices?cityId=1&lg=fr'])
    await client.get(`/appointments/${path}`)
  const dates = listOf(
    await client.get(`/appointments/offices/${officeId}/available-dates?applicationId=${applicationId}`),
  )
  for (;;) {
    const date = oneOf(dates)
    const slots = listOf(await client.get(`/appointments/offices/${officeId}/available-slots?date=${date}`))
    await think(settings)
    const appointmentDate = `${date}T${oneOf(slots)}`
    const body = { applicationId, officeId, appointmentDate, generalQueue: false }
    const held = await client.post('/appointments?lg=fr', body)
    const appointment = textOf(held['data'], 'id')
    // Another applicant was faster.
    if (appointment === '') continue
    await client.get(`/appointments/${appointment}?lg=fr`)
    await think(settings)
    const confirmed = await client.post(`/appointments/${appointment}/confirm?lg=fr`)
    // The hold ended while the service was down.
    if (confirmed['data'] !== true) continue
    promised.appointmentId = appointment
    promised.appointmentDate = appointmentDate
    return
  }
}

function think({ thinkMs }: JourneySettings): Promise<void> {
  return pause(Math.random() * 2 * thinkMs)
}

function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : ''
}

function listOf({ data }: Record<string, unknown>): string[] {
  const list = fieldOf(data, 'data')
  return Array.isArray(list) ? list.map(String) : []
}

function fieldOf(value: unknown, name: string): unknown {
  return new Map<string, unknown>(Object.entries(Object(value))).get(name)
}

function oneOf(values: readonly string[]): string {
  return values[Math.floor(Math.random() * values.length)] ?? ''
}
