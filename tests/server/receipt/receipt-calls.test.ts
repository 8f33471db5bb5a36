import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCode } from '#screens/verify/check-code.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { findFreeTime, createPaidApplication } from '../paid-application.ts'
import { readPdf } from './read-pdf.ts'

let server: TestServer
let applicant: SignedIn
let applicationId: string
let number: string
let appointmentId: string

beforeAll(async () => {
  server = await startTestServer({ env: { HELP_PHONE: '1500 / 117', HELP_EMAIL: 'aide@example.cm' } })
  applicant = await signIn(server, { phone: '237677000111' })
  const paid = await createPaidApplication(server, applicant, minorWithRepresentative)
  applicationId = paid.applicationId
  number = paid.number
})
afterAll(() => server.close())

function getPdf(by: SignedIn, query: { lg?: 'fr' | 'en' } = {}, id = applicationId) {
  return by.call('getPdf', { params: { id }, query })
}

function postPdf(token: string, file = `${number}.pdf`) {
  return openBrowser(server).call('postPdf', { params: { id: applicationId, file }, body: { token } })
}

describe('the receipt before the appointment', () => {
  it('answers 409', async () => {
    expect(await getPdf(applicant)).toMatchObject({ kind: 'failed', status: 409 })
    expect(await postPdf(applicant.token)).toMatchObject({ kind: 'failed', status: 409 })
  })
})

describe('the receipt after the confirmation', () => {
  beforeAll(async () => {
    const appointmentDate = await findFreeTime(applicant, applicationId)
    const body = { applicationId, officeId: '1', appointmentDate }
    const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
    appointmentId = id
    const held = bodyOf(await applicant.call('readAppointment', { params: { id } })).data
    expect(held.receiptCode).toBeUndefined()
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
  })

  it('has its code in the appointment, and the portal verifies that code (D44, F7)', async () => {
    const params = { id: appointmentId }
    const { receiptCode, appointmentDate, nameOffice } = bodyOf(
      await applicant.call('readAppointment', { params }),
    ).data
    const { receiptKey } = bodyOf(await openBrowser(server).call('version')).data
    expect(await checkCode(receiptCode ?? '', receiptKey ?? '')).toEqual({
      kind: 'genuine',
      fields: {
        applicationNumber: number,
        name: `${minorWithRepresentative.surname} ${minorWithRepresentative.givenName}`,
        yearOfBirth: Number(minorWithRepresentative.yearOfBirth),
        office: nameOffice,
        date: appointmentDate?.slice(0, 10),
      },
    })
  })

  it('is a PDF of at most 60 KiB in the requested language (API12, FIN03, D44)', async () => {
    const answer = await getPdf(applicant, { lg: 'en' })
    expect(answer.headers['content-type']).toBe('application/pdf')
    expect(answer.headers['content-disposition']).toBe(`inline; filename="${number}.pdf"`)
    const bytes = bodyOf(answer)
    expect(bytes.length).toBeLessThan(60 * 1_024)
    const { pages, language } = await readPdf(bytes)
    const text = pages.map(page => page.text).join(' ')
    expect(language).toBe('en')
    expect(text).toContain(number)
    expect(text).toContain('This receipt must be printed and presented in the enrolment office')
    expect(text).toContain('Representative data')
    expect(text).toContain('Police: 1500 / 117 · aide@example.cm ·')
    expect(text).toContain('Parental authorisation')
  })

  it('is in the language of the application by default, and always the same file', async () => {
    for (const language of ['en', 'fr'] as const) {
      await server.services.db
        .updateTable('application')
        .set({ language })
        .where('id', '=', applicationId)
        .execute()
      const first = bodyOf(await getPdf(applicant))
      expect((await readPdf(first)).language).toBe(language)
      expect(Buffer.from(bodyOf(await getPdf(applicant))).equals(Buffer.from(first))).toBe(true)
    }
  })

  it('is not sent again to a phone that has it (D37)', async () => {
    const { headers: known } = await getPdf(applicant, { lg: 'fr' })
    const askAgain = (lg: 'fr' | 'en') =>
      applicant.call('getPdf', {
        params: { id: applicationId },
        query: { lg },
        headers: { 'if-none-match': String(known['etag']) },
      })
    const same = await askAgain('fr')
    expect(same.status).toBe(304)
    expect(same.headers['content-type']).toBe(undefined)
    expect(bodyOf(await askAgain('en'))).toEqual(bodyOf(await getPdf(applicant, { lg: 'en' })))
  })

  it('is sent at least 20 % smaller to a phone that accepts gzip, and is the same file (FIN03, F14)', async () => {
    const { rawPayload: sent, headers } = await server.app.inject({
      url: `/api/v1/applications/${applicationId}/get-pdf?lg=fr`,
      headers: { authorization: `Bearer ${applicant.token}`, 'accept-encoding': 'gzip, br' },
    })
    const file = Buffer.from(bodyOf(await getPdf(applicant, { lg: 'fr' })))
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(gunzipSync(sent).equals(file)).toBe(true)
    expect(sent.length).toBeLessThan(file.length * 0.8)
  })

  it('is sent as a download to an HTML form with the token in a field (API13, S13)', async () => {
    const answer = await postPdf(applicant.token)
    expect(answer).toMatchObject({ kind: 'ok', status: 200 })
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="${number}.pdf"`)
    expect(Buffer.from(bodyOf(answer)).subarray(0, 5).toString()).toBe('%PDF-')
  })

  it('is given at most twenty tickets at once to one applicant, then ten a minute, because an unused ticket stays stored for a day (D97)', async () => {
    const other = await signIn(server, { phone: '237677000444' })
    const { id } = bodyOf(await other.call('createApplication')).data
    const request = () => other.call('receiptTicket', { params: { id } })
    for (let count = 0; count < 20; count += 1) expect((await request()).status).toBe(200)
    const refused = await request()
    expect(refused).toMatchObject({ status: 429, failure: { reason: 'too-many-requests' } })
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(6)
    server.clock.advanceSeconds(6)
    expect((await request()).status).toBe(200)
  })

  it('is sent once for a ticket, which ends after a minute and with its session (S13)', async () => {
    const stranger = await signIn(server, { phone: '237677000333' })
    const requestTicket = async (by = applicant) =>
      bodyOf(await by.call('receiptTicket', { params: { id: applicationId } })).data.ticket
    expect((await stranger.call('receiptTicket', { params: { id: applicationId } })).status).toBe(404)
    const ticket = await requestTicket()
    expect(ticket).not.toBe(applicant.token)
    const rows = await server.services.db.selectFrom('receipt_ticket').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(ticket)
    const answers = await Promise.all([1, 2, 3].map(() => postPdf(ticket)))
    const counted = (status: number) => answers.filter(answer => answer.status === status).length
    expect([counted(200), counted(401)]).toEqual([1, 2])
    const later = (seconds: number) =>
      sql`update receipt_ticket set expires_at = expires_at - make_interval(secs => ${seconds})`.execute(
        server.services.db,
      )
    const [alive, expired] = [await requestTicket(), await requestTicket()]
    await later(45)
    expect((await postPdf(alive)).status).toBe(200)
    await later(15)
    expect((await postPdf(expired)).status).toBe(401)
    const otherSession = await signIn(server, { phone: '237677000111' })
    const ofEndedSession = await requestTicket(otherSession)
    await otherSession.call('logout')
    expect((await postPdf(ofEndedSession)).status).toBe(401)
  })

  it('answers 404 to another applicant, for an unknown id, or for a file name without .pdf, and 401 for a wrong token', async () => {
    const stranger = await signIn(server, { phone: '237677000222' })
    expect((await getPdf(stranger)).status).toBe(404)
    expect((await getPdf(applicant, {}, 'nonsense')).status).toBe(404)
    expect((await postPdf(stranger.token)).status).toBe(404)
    expect((await postPdf('nonsense')).status).toBe(401)
    expect((await postPdf(applicant.token, 'receipt.exe')).status).toBe(404)
  })
})
