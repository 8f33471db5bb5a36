import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { openBrowser, refreshCookie, signIn } from '#support/servers/api-client.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const contactBody = { msisdn: '237670000001', email: '' }

/** PGlite has one connection and so no races. These tests repeat the rules on PostgreSQL. */
describe('requests at the same time on PostgreSQL', () => {
  it('send one code to one browser, and open one session for three sign-ins with the right code', async () => {
    server = await startTestServer({ database: 'postgresql' })
    const browser = openBrowser(server)
    // Without this cookie each of the first calls would count as another browser.
    browser.cookies.set('browser', 'one-browser')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => browser.call('auth', { body: contactBody })),
    )
    expect(answers.filter(answer => answer.kind === 'ok')).toHaveLength(1)
    expect(await server.outbox.messages()).toHaveLength(1)
    const otp = await server.outbox.codeFor(contactBody.msisdn)
    const right = await Promise.all(
      [1, 2, 3].map(() => browser.call('login', { body: { ...contactBody, otp } })),
    )
    // A later call may get the session of the first one again: the code opens no second session (D21).
    expect(right.some(answer => answer.kind === 'ok')).toBe(true)
    expect(await server.services.db.selectFrom('session').select('id').execute()).toHaveLength(1)
  })

  it('send one code to a new number when twenty browsers ask', async () => {
    server = await startTestServer({ database: 'postgresql' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => openBrowser(server).call('auth', { body: contactBody })),
    )
    expect(answers.filter(answer => answer.kind === 'ok')).toHaveLength(1)
    expect(await server.outbox.messages()).toHaveLength(1)
  })

  it('give the next account of a number another id while the first account is being deleted (D133)', async () => {
    server = await startTestServer({ database: 'postgresql' })
    const { db } = server.services
    const phone = contactBody.msisdn
    const { applicantId } = await signIn(server, { phone })
    // Without the contact, as after a change of contacts (D70): the sign-in waits only when it inserts the same id.
    await sql`delete from contact where applicant_id = ${applicantId}`.execute(db)
    const [next] = await forceRace(db, {
      lock: sql`delete from applicant where id = ${applicantId}`,
      actions: [() => signIn(server, { phone })],
    })
    expect(next.applicantId).not.toBe(applicantId)
  })

  it('with a wrong code share the two tries before the first wait (D125)', async () => {
    server = await startTestServer({ database: 'postgresql' })
    const browser = openBrowser(server)
    await browser.call('auth', { body: contactBody })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => browser.call('login', { body: { ...contactBody, otp: 'guess' } })),
    )
    const wrong = answers.filter(answer => answer.kind === 'failed' && answer.failure.statusCode === 1)
    expect(wrong).toHaveLength(2)
  })

  it('give all tabs the same new refresh token, and create one application under one idempotency key', async () => {
    server = await startTestServer({ database: 'postgresql' })
    const applicant = await signIn(server)
    const cookie = applicant.cookies.get(refreshCookie) ?? ''
    const cookies = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const tab = openBrowser(server)
        tab.cookies.set(refreshCookie, cookie)
        await tab.call('refreshToken')
        return tab.cookies.get(refreshCookie)
      }),
    )
    expect(new Set(cookies).size).toBe(1)
    expect(cookies[0]).not.toBe(cookie)
    const key = crypto.randomUUID()
    await Promise.all(Array.from({ length: 8 }, () => applicant.call('createApplication', { key })))
    const rows = await server.services.db.selectFrom('application').select('id').execute()
    expect(rows).toHaveLength(1)
  })
})
