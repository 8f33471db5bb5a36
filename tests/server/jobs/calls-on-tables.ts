import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { largeOfficeId, type SeededApplicant } from '#support/data/paying-applicants.ts'

type Request = { method?: 'POST'; path: string; body?: object; cookie?: string }
/** What earlier calls gave: the ids, token and cookies of their answers, and the last code that was sent. */
export type Known = {
  draft: string
  payment: string
  appointment: string
  /** The access token of the applicant who signs in here. */
  token: string
  /** The last code that this applicant got. */
  code: string
  /** The cookies of this applicant's browser, by name. */
  cookies: Map<string, string>
}
type CallOnTables = {
  name: string
  request: (known: Known) => Request
  /** The status of the answer; 200 by default. */
  status?: number
  /** Keeps this field of the answer under this name. */
  keeps?: { as: 'draft' | 'payment' | 'appointment' | 'token'; field: 'id' | 'token' }
  /** The applicant who signs in here sends the call; else the one with the paid application. */
  ofNewcomer?: true
  /** The server sends a code, which the next calls use. */
  sendsCode?: true
}

/** The e-mail address of the applicant who signs in here. */
export const newcomer = 'newcomer@example.cm'
const contact = { msisdn: '', email: newcomer }
const otherCode = (code: string) => (code === '00000000' ? '11111111' : '00000000')
const office = `/appointments/offices/${largeOfficeId}`
const date = dateInDays(5)

const post = (path: string, body: object = {}): Request => ({ method: 'POST', path, body })

/**
 * The calls of a journey, in its order: a newcomer signs in, asks for the deletion of the account and logs out; another
 * applicant takes a draft up to its payment, and books and changes an appointment for an application that is paid
 * already. plans.test.ts counts the rows of large tables that each call reads.
 */
export function callsOnTables(applicant: SeededApplicant): CallOnTables[] {
  return [...callsOfNewcomer, ...callsOfApplicant(applicant)]
}

const callsOfNewcomer: CallOnTables[] = [
  { name: 'ask for a code', request: () => post('/auth', contact), ofNewcomer: true, sendsCode: true },
  {
    name: 'a wrong code',
    request: ({ code }) => post('/login', { ...contact, otp: otherCode(code) }),
    ofNewcomer: true,
    status: 400,
  },
  {
    name: 'the right code',
    request: ({ code }) => post('/login', { ...contact, otp: code }),
    ofNewcomer: true,
    keeps: { as: 'token', field: 'token' },
  },
  {
    name: 'a refresh',
    request: () => post('/refresh-token'),
    ofNewcomer: true,
    keeps: { as: 'token', field: 'token' },
  },
  {
    name: 'an unknown refresh token',
    request: () => ({ ...post('/refresh-token'), cookie: 'refresh=unknown' }),
    status: 401,
  },
  {
    name: 'ask for a code to the own contact',
    request: () => post('/account/proof', { kind: 'email' }),
    ofNewcomer: true,
    sendsCode: true,
  },
  {
    name: 'the proof of the own contact',
    request: ({ code }) => post('/account/proof/confirm', { kind: 'email', otp: code }),
    ofNewcomer: true,
  },
  { name: 'the deletion of an account', request: () => post('/account/delete'), ofNewcomer: true },
  { name: 'a log-out', request: () => post('/refresh-token/logout'), ofNewcomer: true },
]

function callsOfApplicant({ applicationId }: SeededApplicant): CallOnTables[] {
  const booking = bookingOf(applicationId)
  const form = toWire(firstPassport)
  return [
    { name: 'the list of applications', request: () => ({ path: '/applications' }) },
    { name: 'the page of the account', request: () => ({ path: '/account' }) },
    { name: 'a new application', request: () => post('/applications'), keeps: { as: 'draft', field: 'id' } },
    { name: 'a save', request: ({ draft }) => post(`/applications/${draft}/data`, { ...form, draft: true }) },
    { name: 'the form', request: ({ draft }) => ({ path: `/applications/${draft}/data` }) },
    {
      name: 'the last save',
      request: ({ draft }) => post(`/applications/${draft}/data`, { ...form, draft: false }),
    },
    { name: 'the confirmation', request: ({ draft }) => post(`/applications/${draft}/confirmData`, form) },
    {
      name: 'the payment methods',
      request: ({ draft }) => ({ path: `/payments/payment-methods?applicationId=${draft}` }),
    },
    {
      name: 'an order',
      request: ({ draft }) => post(`/payments/mock-payment-init?applicationId=${draft}`),
      keeps: { as: 'payment', field: 'id' },
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
    {
      name: 'a watch',
      request: () => post(`/applications/${applicationId}/watch`, { officeId: String(largeOfficeId) }),
    },
    {
      name: 'a booking',
      request: () => post('/appointments', booking),
      keeps: { as: 'appointment', field: 'id' },
    },
    {
      name: 'the confirmation of a booking',
      request: ({ appointment }) => post(`/appointments/${appointment}/confirm`),
    },
    { name: 'an appointment', request: ({ appointment }) => ({ path: `/appointments/${appointment}` }) },
    {
      name: 'a change of a booking',
      request: ({ appointment }) =>
        post(`/appointments/${appointment}`, { ...booking, appointmentDate: `${date}T11:00` }),
      keeps: { as: 'appointment', field: 'id' },
    },
    {
      name: 'the confirmation of a change',
      request: ({ appointment }) => post(`/appointments/${appointment}/confirm`),
    },
    { name: 'the receipt', request: () => ({ path: `/applications/${applicationId}/get-pdf` }) },
  ]
}

const bookingOf = (applicationId: string) => ({
  applicationId,
  officeId: String(largeOfficeId),
  appointmentDate: `${date}T10:00`,
  generalQueue: false,
})

/** A paid application is booked, and the booking is cancelled. */
export function callsOfCancellation({ applicationId }: SeededApplicant): CallOnTables[] {
  return [
    {
      name: 'a booking',
      request: () => post('/appointments', bookingOf(applicationId)),
      keeps: { as: 'appointment', field: 'id' },
    },
    {
      name: 'the confirmation of a booking',
      request: ({ appointment }) => post(`/appointments/${appointment}/confirm`),
    },
    {
      name: 'the cancellation of a booking',
      request: ({ appointment }) => post(`/appointments/${appointment}`, { cancel: true }),
    },
  ]
}

/** Sends one call. @throws when the answer has another status. */
export async function sendCall(
  app: FastifyInstance,
  { token }: SeededApplicant,
  { call: { name, request, status = 200, keeps, ofNewcomer }, known }: { call: CallOnTables; known: Known },
): Promise<void> {
  const { method = 'GET', path, body, cookie = ofNewcomer && writeCookies(known) } = request(known)
  const response = await app.inject({
    method,
    url: `${apiRoot}${path}`,
    headers: {
      host: 'localhost:8080',
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${ofNewcomer ? known.token : token}`,
      'idempotency-key': randomUUID(),
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  if (response.statusCode !== status)
    throw new Error(`${name}: ${response.statusCode} ${response.body.slice(0, 300)}`)
  if (ofNewcomer) for (const { name: of, value } of response.cookies) known.cookies.set(of, value)
  if (keeps !== undefined)
    known[keeps.as] = response.json<{ data: Record<string, string> }>().data[keeps.field] ?? ''
}

function writeCookies({ cookies }: Known): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
