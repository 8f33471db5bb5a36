import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { createApp } from '#server/start/app.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { loggerSettings } from '#server/monitoring/logger.ts'
import type { Services } from '#server/calls/services.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { addSecondContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const open: TestServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()))
})

const phone = '237671234567'
const phoneInOutage = '237679999999'
const email = 'marker.address@example.cm'
/** Personal data that must not occur in a log line. */
const markers = {
  surname: 'MARKERSURNAME',
  givenName: 'MARKERGIVENNAME',
  street: 'MARKERSTREET',
  query: 'MARKERQUERY',
  payer: 'MARKERPAYER',
  pin: '58213746',
  agent: 'MARKERAGENT',
}

/** Opens a server that logs at the level debug with the settings of a real server. */
async function openLogged(): Promise<{ server: TestServer; log: () => string }> {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const plain = await startTestServer()
  const logger = pino(loggerSettings('debug'), sink)
  const services: Services = { ...plain.services, logger }
  const app = createApp(services, { onAnswered: answered => logger.info(answered, 'answered') })
  const server = { ...plain, app, services }
  open.push(plain)
  return { server, log: () => lines.join('') }
}

describe('the log of sign-in, form, payments, a second contact and their failures', () => {
  it('contains no contact, name, street, PIN, IP address, user agent, applicant id, code, token, cookie or query', async () => {
    const { server, log } = await openLogged()
    const applicant = await signIn(server, { phone })
    await fillIn(applicant)
    await addEmail(server, applicant)
    await causeFailures(server, applicant)
    const codes = (await server.outbox.messages()).map(message => message.code ?? '')
    expect(codes.filter(code => code !== '').length).toBeGreaterThan(2)
    const text = log()
    expect(text).toContain('"route":"/api/v1/applications/:id/confirmData"')
    expect(text).toContain('A request failed with an unexpected error')
    const secrets = [
      ...Object.values(markers),
      phone,
      phone.slice(3),
      phoneInOutage,
      phoneInOutage.slice(3),
      email,
      'marker.address',
      applicant.token,
      applicant.applicantId,
      ...applicant.cookies.values(),
      '127.0.0.1',
    ]
    for (const secret of secrets) expect(text).not.toContain(secret)
    // Matches the code as a whole number only: its digits may occur by chance in a time or a duration.
    for (const code of codes.filter(each => each !== ''))
      expect(text).not.toMatch(new RegExp(`(?<!\\d|\\d\\.)${code}(?!\\d|\\.\\d)`))
  })
})

async function fillIn(applicant: SignedIn): Promise<void> {
  const form = {
    ...toWire(firstPassport),
    surname: markers.surname,
    givenName: markers.givenName,
    resAddressStreet: markers.street,
  }
  const { id } = bodyOf(await applicant.call('createApplication')).data
  await applicant.call('saveData', { params: { id }, body: { ...form, draft: true } })
  expect(bodyOf(await applicant.call('readData', { params: { id } })).data).toMatchObject({
    surname: markers.surname,
    givenName: markers.givenName,
  })
  await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  const payer = { phone, paymentMethod: 'Yoomee-Money', name: markers.payer, otp: markers.pin }
  await applicant.call('startAggregatorPayment', { query: { applicationId: id }, body: payer })
  await applicant.call('startMobilePayment', { query: { applicationId: id, phone } })
  await applicant.call('startMockPayment', { query: { applicationId: id } })
  await applicant.call('refreshToken')
}

async function addEmail(server: TestServer, applicant: SignedIn): Promise<void> {
  bodyOf(await addSecondContact(server, applicant, { by: { phone }, added: { msisdn: '', email } }))
}

/** Causes refusals, a gateway outage, and a database error whose detail quotes a row. */
async function causeFailures(server: TestServer, applicant: SignedIn): Promise<void> {
  const stranger = openBrowser(server)
  await stranger.call('login', { body: { msisdn: phone, email: '', otp: markers.query } })
  await server.app.inject({
    url: `/api/v1/applications?lg=fr&name=${markers.query}`,
    headers: { 'user-agent': markers.agent, authorization: `Bearer ${applicant.token}x` },
  })
  await server.app.inject({ method: 'POST', url: `/api/v1/auth/${markers.query}`, payload: { email } })
  await server.app.inject({
    method: 'POST',
    url: '/api/v1/auth',
    headers: { 'content-type': 'application/json' },
    payload: `{"email":"${email}`,
  })
  await openBrowser(server).call('auth', { body: { msisdn: phoneInOutage, email: '' } })
  const down = { send: async () => ({ kind: 'failed', reason: 'status 503' }) as const }
  await deliverDue(server.services, { sms: down, email: down })
  await sql`alter table contact add constraint broken check (kind <> 'email') not valid`.execute(
    server.services.db,
  )
  const codeRequest = { body: { msisdn: '', email: 'marker.address2@example.cm' } }
  bodyOf(await stranger.call('auth', codeRequest))
  const otp = await server.outbox.codeFor('marker.address2@example.cm')
  expect((await stranger.call('login', { body: { ...codeRequest.body, otp } })).status).toBe(500)
}
