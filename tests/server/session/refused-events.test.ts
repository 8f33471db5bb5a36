import { afterEach, describe, expect, it } from 'vitest'
import type { SecurityEventKind } from '#contract/account.ts'
import { recordDailyEvent } from '#server/features/session/security-events.ts'
import { bodyOf, openBrowser, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

async function rowsOf(kind: SecurityEventKind) {
  const { db } = server.services
  return db.selectFrom('security_event').selectAll().where('kind', '=', kind).execute()
}

async function openOffice() {
  const office = openCliFixture(server.services)
  return {
    find: async (operand: string, kind: string) => {
      const found = await office.run('events', `+${operand}`, '--kind', kind, '--reason', 'a test')
      return found.lines.filter(line => line.includes(kind)).length
    },
    close: office.close,
  }
}

describe('a limit that was reached (D126)', () => {
  it('is recorded once a day for an account, after a thousand refused calls at once', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    const applicant = await signIn(server, { phone })
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => applicant.call('readAccount')))
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(100)
    await expect.poll(() => rowsOf('limit-reached')).toHaveLength(1)
    const office = await openOffice()
    expect(await office.find(phone, 'limit-reached')).toBe(1)
    office.close()
  })

  it('is recorded once when several processes record it at the same moment', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    const applicant = await signIn(server, { phone })
    const { applicantId } = applicant
    const event = { kind: 'limit-reached', subject: { applicantId }, address: '192.0.2.1' } as const
    await Promise.all(
      Array.from({ length: 20 }, () => recordDailyEvent(server.services.db, server.services, event)),
    )
    expect(await rowsOf('limit-reached')).toHaveLength(1)
  })

  it('is recorded for the contact whose codes are used up, and found by its owner’s operator', async () => {
    server = await startTestServer({ offices: 'none' })
    const browser = openBrowser(server)
    const contact = { msisdn: phone, email: '' }
    await browser.call('auth', { body: contact })
    await browser.call('auth', { body: contact })
    expect(await rowsOf('limit-reached'), 'the minute between two codes').toEqual([])
    for (let asked = 0; asked < 5; asked += 1) {
      await server.advanceSeconds(61)
      await browser.call('auth', { body: contact })
    }
    await expect.poll(() => rowsOf('limit-reached')).toHaveLength(1)
    const office = await openOffice()
    expect(await office.find(phone, 'limit-reached')).toBe(1)
    office.close()
  })
})

describe('a log-out (D126)', () => {
  it('is shown to its applicant, once, with the cookie and without it', async () => {
    server = await startTestServer({ offices: 'none' })
    const first = await signIn(server, { phone })
    for (const _ of [1, 2, 3]) await first.call('logout')
    await server.advanceSeconds(120)
    const second = await signIn(server, { phone })
    second.cookies.clear()
    for (const _ of [1, 2])
      await second.call('logout', { headers: { authorization: `Bearer ${second.token}` } })
    await server.advanceSeconds(120)
    const { events } = bodyOf(await (await signIn(server, { phone })).call('readAccount')).data
    expect(events.filter(({ kind }) => kind === 'signed-out')).toHaveLength(2)
  })
})
