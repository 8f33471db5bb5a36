import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { solvePuzzle } from '#support/providers/puzzle.ts'
import { bodyOf, openBrowser, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const body = { msisdn: phone, email: '' }

/** Makes the stored times of the codes those of a clock that was a day ahead until now. */
async function setCodesAhead(): Promise<void> {
  const { db } = server.services
  await sql`update one_time_code set sent_at = sent_at + interval '1 day', expires_at = expires_at + interval '1 day'`.execute(
    db,
  )
  await sql`update challenge set next_try_at = next_try_at + interval '1 day'`.execute(db)
}

describe('the sign-in, after the clock was a day ahead (D95)', () => {
  it('sends another code to an applicant who requested one during that time, and accepts it (D20)', async () => {
    server = await startTestServer({ offices: 'none' })
    bodyOf(await openBrowser(server).call('auth', { body }))
    await setCodesAhead()
    expect((await signIn(server, { phone })).applicantId).toBeDefined()
  })

  it('accepts the right code of an applicant who mistyped it during that time (D125)', async () => {
    server = await startTestServer({ offices: 'none' })
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body }))
    const right = await server.outbox.codeFor(phone)
    const wrong = right === '000000' ? '000001' : '000000'
    for (let tries = 0; tries < 2; tries += 1) await browser.call('login', { body: { ...body, otp: wrong } })
    await setCodesAhead()
    expect((await browser.call('login', { body: { ...body, otp: right } })).kind).toBe('ok')
  })

  it('sends no code for the answer to a puzzle that was made during that time (D24)', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'altcha', CAPTCHA_WORK: '10' } })
    const browser = openBrowser(server)
    for (let sent = 0; sent < 2; sent += 1) {
      bodyOf(await browser.call('auth', { body }))
      await server.advanceSeconds(61)
    }
    // Moves only the clock of the server; `server.advanceSeconds` also makes the stored times older.
    server.clock.advanceSeconds(86_400)
    const gRecaptchaResponse = await solvePuzzle(browser)
    server.clock.advanceSeconds(-86_400)
    const answer = await browser.call('auth', { body: { ...body, gRecaptchaResponse } })
    expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 12 } })
  })
})
