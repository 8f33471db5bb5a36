import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { apiRoot } from '#contract/codes.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { largeOfficeId } from '#support/data/paying-applicants.ts'

/** Mean pause of an applicant before each request. */
const thinkMs = 400

/**
 * What all applicants of a run have done so far. `milliseconds`: of each answered request, without the `busyAnswers`.
 * `busyAnswers`: answers 503 with a time, after which the applicant sends the request again.
 */
export type Count = { milliseconds: number[]; journeys: number; errors: string[]; busyAnswers: number }
export type JourneyContext = {
  /** Returns the process for the next request: each process in turn, as a proxy chooses, or always the same one. */
  nextOrigin: () => string
  /** The newest code of each phone, read from its SMS. */
  codes: Map<string, string>
  count: Count
  /** When the applicants end, on the clock of `performance.now`. */
  until: number
}

export function newCount(): Count {
  return { milliseconds: [], journeys: 0, errors: [], busyAnswers: 0 }
}

/**
 * Applicants run the whole journey in parallel, each again and again: sign-in, form, payment, booking, receipt,
 * log-out. `first`: the number of the first applicant, when others run beside them. Resolves when the time is over and
 * all of them have ended. An error ends a journey, and the first five errors of the run are printed.
 */
export async function runApplicants(
  context: JourneyContext,
  { applicants, first = 0 }: { applicants: number; first?: number },
): Promise<void> {
  await Promise.all(Array.from({ length: applicants }, (_, index) => applyUntilEnd(context, first + index)))
  const { errors } = context.count
  if (errors.length > 0) process.stderr.write(`${errors.slice(0, 5).join('\n')}\n`)
}

/**
 * The settings of a server that sends its SMS to `smsUrl`, and whose limits of codes refuse none of these applicants.
 */
export function journeySettings(dataDir: string, smsUrl: string): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    CAPTCHA: 'off',
    NETWORK_CODES_PER_HOUR: '100000',
    SMS_BUDGET_HOME: '10000000',
    SMS_URL: smsUrl,
  }
}

async function applyUntilEnd(context: JourneyContext, index: number): Promise<void> {
  await pause(Math.random() * 2_000)
  for (let turn = 0; performance.now() < context.until; turn += 1) {
    try {
      await applyOnce(context, `6${70_000_000 + index * 10_000 + turn}`)
      context.count.journeys += 1
    } catch (error) {
      if (error !== timeOver) context.count.errors.push(String(error))
    }
  }
}

/** Thrown when the time of the benchmark is over, to end a running journey. */
const timeOver = Symbol('over')

async function applyOnce(context: JourneyContext, subscriber: string): Promise<void> {
  const cookies = new Map<string, string>()
  const { post, get } = openCaller(context, { cookies })
  const phone = `237${subscriber}`
  const named = { msisdn: phone, email: '' }
  await post('/auth', named)
  const otp = await waitForCode(context, phone)
  const { token } = await post('/login', { ...named, otp })
  const signedIn = openCaller(context, { cookies, token })
  const { id } = await signedIn.post('/applications?lg=fr')
  const form = toWire({ ...firstPassport, phoneNumber: subscriber })
  await signedIn.post(`/applications/${id}/data?lg=fr`, { ...form, draft: true })
  await signedIn.post(`/applications/${id}/confirmData?lg=fr`, form)
  const payment = await signedIn.post(`/payments/mock-payment-init?applicationId=${id}`)
  for (let status = ''; status !== 'SUCCESS';) {
    await pause(1_000)
    status = (await signedIn.get(`/payments/${payment.id}?applicationId=${id}`)).paymentStatus
  }
  await get('/version')
  await signedIn.get('/appointments/offices?cityId=1&lg=fr')
  const appointment = await book(signedIn, id)
  await signedIn.get(`/appointments/${appointment}?lg=fr`)
  await signedIn.post(`/appointments/${appointment}/confirm?lg=fr`)
  await signedIn.get(`/applications/${id}/get-pdf?lg=fr`)
  await signedIn.post('/refresh-token/logout')
}

/** Chooses another time when another applicant was faster. */
async function book({ post, get }: Caller, applicationId: string): Promise<string> {
  const officeId = String(largeOfficeId)
  const dates = listOf(
    await get(`/appointments/offices/${officeId}/available-dates?applicationId=${applicationId}`),
  )
  for (;;) {
    const date = dates[Math.floor(Math.random() * dates.length)] ?? ''
    const slots = listOf(await get(`/appointments/offices/${officeId}/available-slots?date=${date}`))
    const appointmentDate = `${date}T${slots[Math.floor(Math.random() * slots.length)] ?? ''}`
    const body = { applicationId, officeId, appointmentDate, generalQueue: false }
    const { id } = await post('/appointments?lg=fr', body)
    if (id !== '') return id
  }
}

/** The fields of answers that a journey uses. A text that the answer lacks is '', and a list is undefined. */
type ResponseData = { id: string; token: string; paymentStatus: string; data: unknown }
type Caller = ReturnType<typeof openCaller>

/**
 * A client with cookies that pauses before each request and measures it.
 *
 * @throws `timeOver`, or the refusal as an error
 */
function openCaller(
  { nextOrigin, count, until }: JourneyContext,
  { cookies, token }: { cookies: Map<string, string>; token?: string },
) {
  async function send(path: string, init: RequestInit): Promise<ResponseData> {
    if (performance.now() > until) throw timeOver
    await pause(Math.random() * 2 * thinkMs)
    const origin = nextOrigin()
    const startMs = performance.now()
    const response = await fetch(`${origin}${apiRoot}${path}`, {
      ...init,
      headers: {
        origin,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        cookie: [...cookies].map(pair => pair.join('=')).join('; '),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    })
    const bytes = await response.arrayBuffer()
    const tookMs = performance.now() - startMs
    const laterSeconds = Number(response.headers.get('retry-after'))
    if (response.status === 503 && laterSeconds > 0) {
      count.busyAnswers += 1
      await pause(laterSeconds * 1_000)
      return send(path, init)
    }
    count.milliseconds.push(tookMs)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const body: unknown = isJson ? JSON.parse(Buffer.from(bytes).toString()) : {}
    if (!response.ok && fieldOf(body, 'statusCode') !== routedCodes.timeTaken)
      throw new Error(`${response.status} ${path} ${JSON.stringify(body)}`)
    return toResponseData(fieldOf(body, 'data'))
  }

  return {
    post: (path: string, body: object = {}) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    get: (path: string) => send(path, { method: 'GET' }),
  }
}

function toResponseData(data: unknown): ResponseData {
  const text = (name: string) => {
    const value = fieldOf(data, name)
    return typeof value === 'string' ? value : ''
  }
  return {
    id: text('id'),
    token: text('token'),
    paymentStatus: text('paymentStatus'),
    data: fieldOf(data, 'data'),
  }
}

function listOf({ data }: ResponseData): string[] {
  return Array.isArray(data) ? data.map(String) : []
}

function fieldOf(value: unknown, name: string): unknown {
  return new Map<string, unknown>(Object.entries(Object(value))).get(name)
}

async function waitForCode({ codes, until }: JourneyContext, phone: string): Promise<string> {
  for (;;) {
    const code = codes.get(phone)
    if (code !== undefined) return code
    if (performance.now() > until) throw timeOver
    await pause(20)
  }
}

/** An SMS gateway over HTTP that reads the code in each message. */
export async function openGateway() {
  const codes = new Map<string, string>()
  const gateway = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      const { to, text } = JSON.parse(body) as { to: string; text: string } // SMS_BODY, as it is by default
      const code = /\b\d{6}\b/.exec(text)?.[0]
      if (code !== undefined) codes.set(to.replace('+', ''), code)
      response.end('{}')
    })
  })
  await new Promise<void>(resolve => {
    gateway.listen(0, resolve)
  })
  const { port } = gateway.address() as AddressInfo // it listens on a port
  return { codes, url: `http://localhost:${port}/`, close: () => gateway.close() }
}
