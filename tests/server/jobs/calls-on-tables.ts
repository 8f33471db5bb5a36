import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { busyOfficeId, type SeededApplicant } from '#support/data/paying-applicants.ts'

type Request = { method?: 'POST'; path: string; body?: object; cookie?: string }
/** What earlier calls have answered. */
type Known = { draft: string; payment: string; appointment: string }
type CallOnTables = {
  name: string
  request: (known: Known) => Request
  /** The status of the answer; 200 by default. */
  status?: number
  /** Keeps the id of the answer under this name. */
  keeps?: keyof Known
}

const contact = { msisdn: '', email: 'nobody@example.cm' }
const office = `/appointments/offices/${busyOfficeId}`
const date = dateInDays(5)

const post = (path: string, body: object = {}): Request => ({ method: 'POST', path, body })

/** The calls of a journey, in its order: a paid application is booked, and a draft goes up to its payment. */
export function callsOnTables({ applicationId }: SeededApplicant): CallOnTables[] {
  const booking = {
    applicationId,
    officeId: String(busyOfficeId),
    appointmentDate: `${date}T10:00`,
    generalQueue: false,
  }
  const form = toWire(firstPassport)
  return [
    { name: 'ask for a code', request: () => post('/auth', contact) },
    { name: 'a wrong code', request: () => post('/login', { ...contact, otp: '000000' }), status: 400 },
    {
      name: 'an unknown refresh token',
      request: () => ({ ...post('/refresh-token'), cookie: 'refresh=unknown' }),
      status: 401,
    },
    { name: 'the list of applications', request: () => ({ path: '/applications' }) },
    { name: 'the page of the account', request: () => ({ path: '/account' }) },
    { name: 'a new application', request: () => post('/applications'), keeps: 'draft' },
    { name: 'a save', request: ({ draft }) => post(`/applications/${draft}/data`, { ...form, draft: true }) },
    { name: 'the form', request: ({ draft }) => ({ path: `/applications/${draft}/data` }) },
    { name: 'the confirmation', request: ({ draft }) => post(`/applications/${draft}/confirmData`, form) },
    {
      name: 'the payment methods',
      request: ({ draft }) => ({ path: `/payments/payment-methods?applicationId=${draft}` }),
    },
    {
      name: 'an order',
      request: ({ draft }) => post(`/payments/mock-payment-init?applicationId=${draft}`),
      keeps: 'payment',
    },
    {
      name: 'a payment',
      request: ({ draft, payment }) => ({ path: `/payments/${payment}?applicationId=${draft}` }),
    },
    { name: 'the attempts', request: ({ draft }) => ({ path: `/payments/applications/${draft}/attempts` }) },
    { name: 'the offices', request: () => ({ path: '/appointments/offices?cityId=1' }) },
    {
      name: 'the free dates',
      request: () => ({ path: `${office}/available-dates?applicationId=${applicationId}` }),
    },
    { name: 'the free times', request: () => ({ path: `${office}/available-slots?date=${date}` }) },
    { name: 'a booking', request: () => post('/appointments', booking), keeps: 'appointment' },
    {
      name: 'the confirmation of a booking',
      request: ({ appointment }) => post(`/appointments/${appointment}/confirm`),
    },
    { name: 'an appointment', request: ({ appointment }) => ({ path: `/appointments/${appointment}` }) },
    { name: 'the receipt', request: () => ({ path: `/applications/${applicationId}/get-pdf` }) },
  ]
}

/** Sends one call. @throws when the answer has another status. */
export async function sendCall(
  app: FastifyInstance,
  { token }: SeededApplicant,
  { call: { name, request, status = 200, keeps }, known }: { call: CallOnTables; known: Known },
): Promise<void> {
  const { method = 'GET', path, body, cookie } = request(known)
  const response = await app.inject({
    method,
    url: `${apiRoot}${path}`,
    headers: {
      host: 'localhost:8080',
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  if (response.statusCode !== status)
    throw new Error(`${name}: ${response.statusCode} ${response.body.slice(0, 300)}`)
  if (keeps !== undefined) known[keeps] = response.json<{ data: { id: string } }>().data.id
}
