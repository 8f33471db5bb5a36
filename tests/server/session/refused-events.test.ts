import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { SecurityEventKind } from '#contract/account.ts'
import { recordDailyEvent, subjectOf } from '#server/features/session/security-events.ts'
import {
  type Answered,
  bodyOf,
  openBrowser,
  type SignedIn,
  signIn,
  signInDirectly,
} from '#support/servers/api-client.ts'
import { recordStatements } from '#support/servers/statements.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

async function rowsOf(kind: SecurityEventKind) {
  const { db } = server.services
  return db.selectFrom('security_event').selectAll().where('kind', '=', kind).execute()
}

async function openEventSearch() {
  const officeCommand = openCliFixture(server.services)
  return {
    count: async (operand: string, kind: string) => {
      const found = await officeCommand.run('events', `+${operand}`, '--kind', kind, '--reason', 'a test')
      return found.lines.filter(line => line.includes(kind)).length
    },
    close: officeCommand.close,
  }
}

async function createApplication(applicant: Pick<SignedIn, 'call'>): Promise<string> {
  return bodyOf(await applicant.call('createApplication')).data.id
}

const countInserts = (kinds: string[]) => kinds.filter(kind => kind === 'InsertQueryNode').length

function failureOf(answer: Answered<'readData'>) {
  return { status: answer.status, failure: answer.kind === 'failed' ? answer.failure : undefined }
}

const ownerPhone = '237670000002'

describe('a call about an object of another applicant (D12, D126)', () => {
  it('is recorded once a day for the caller, for operators only', async () => {
    server = await startTestServer({ offices: 'none' })
    const id = await createApplication(await signInDirectly(server, { phone: ownerPhone }))
    const stranger = await signIn(server, { phone })
    const { applicantId } = stranger
    await server.services.db
      .insertInto('security_event')
      .values({
        kind: 'object-refused',
        subject: subjectOf(server.services, { applicantId }),
        at: sql<Date>`now() - interval '1 day'`,
      })
      .execute()
    const answers: Answered<'readData'>[] = []
    for (let asked = 0; asked < 12; asked += 1)
      answers.push(await stranger.call('readData', { params: { id } }))
    answers.push(await stranger.call('readData', { params: { id: crypto.randomUUID() } }))
    expect(new Set(answers.map(answer => JSON.stringify(failureOf(answer)))).size).toBe(1)
    await expect.poll(() => rowsOf('object-refused')).toHaveLength(2)
    expect(JSON.stringify(await rowsOf('object-refused'))).not.toContain(applicantId)
    const eventSearch = await openEventSearch()
    expect(await eventSearch.count(phone, 'object-refused')).toBe(2)
    expect(await eventSearch.count(ownerPhone, 'object-refused')).toBe(0)
    eventSearch.close()
    const { events } = bodyOf(await stranger.call('readAccount')).data
    expect(events.map(({ kind }) => kind)).not.toContain('object-refused')
  })

  it('is recorded for a session of another applicant', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signInDirectly(server, { phone: ownerPhone })
    const [session] = bodyOf(await owner.call('readAccount')).data.sessions
    const stranger = await signIn(server, { phone })
    await stranger.call('endSession', { params: { id: session?.id ?? '' } })
    await expect.poll(() => rowsOf('object-refused')).toHaveLength(1)
  })

  it('causes the same kinds of statements as a call about a missing object, and at most ten inserts a minute', async () => {
    server = await startTestServer({ offices: 'none' })
    const owner = await signInDirectly(server, { phone: ownerPhone })
    const id = await createApplication(owner)
    const applicant = await signIn(server, { phone })
    const otherId = await createApplication(applicant)
    const recorded = recordStatements(server)
    const stranger = openBrowser(recorded.server, applicant.token)
    const statements: string[][] = []
    for (const asked of [crypto.randomUUID(), id, id, crypto.randomUUID()]) {
      await stranger.call('readData', { params: { id: asked } })
      const seen: string[] = []
      const hasEnded = () =>
        seen.push(...recorded.takeKinds()) > 0 && countInserts(seen) > 0 && recorded.haveAllSucceeded()
      await expect.poll(hasEnded).toBe(true)
      statements.push(seen)
    }
    expect(statements.map(countInserts)).toEqual([1, 1, 1, 1])
    expect(new Set(statements.map(String)).size).toBe(1)
    for (let asked = 0; asked < 30; asked += 1) await stranger.call('readData', { params: { id } })
    // The row of this call is written after all statements of the calls before.
    await openBrowser(recorded.server, owner.token).call('readData', { params: { id: otherId } })
    await expect.poll(() => rowsOf('object-refused')).toHaveLength(2)
    expect(countInserts(recorded.takeKinds())).toBe(6 + 1)
  })

  it('is recorded once when several processes record it at the same moment', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    const id = await createApplication(await signInDirectly(server, { phone: ownerPhone }))
    const { token } = await signIn(server, { phone })
    const processes = Array.from({ length: 5 }, () => recordStatements(server))
    await Promise.all(
      processes.map(each => openBrowser(each.server, token).call('readData', { params: { id } })),
    )
    // `hasRecorded` never returns true for a process whose statement fails.
    const hasRecorded = ({ takeKinds, haveAllSucceeded }: (typeof processes)[number]) => {
      const seen: string[] = []
      return () => seen.push(...takeKinds()) > 0 && countInserts(seen) === 1 && haveAllSucceeded()
    }
    for (const each of processes) await expect.poll(hasRecorded(each)).toBe(true)
    expect(await rowsOf('object-refused')).toHaveLength(1)
  })
})

describe('a call about a missing object, or about an object of the caller (D12, D126)', () => {
  it('is not recorded', async () => {
    server = await startTestServer({ offices: 'none' })
    const id = await createApplication(await signInDirectly(server, { phone: ownerPhone }))
    const careless = await signIn(server, { phone: '237670000003' })
    const own = await createApplication(careless)
    const statuses = [
      (await careless.call('readData', { params: { id: crypto.randomUUID() } })).status,
      (await careless.call('readData', { params: { id: own } })).status,
    ]
    for (const payment of [crypto.randomUUID(), own]) {
      const parts = { params: { id: payment }, query: { applicationId: own } }
      statuses.push((await careless.call('readPayment', parts)).status)
    }
    expect(statuses).toEqual([404, 200, 404, 404])
    const stranger = await signIn(server, { phone })
    await stranger.call('deleteApplication', { params: { id }, key: crypto.randomUUID() })
    await expect.poll(() => rowsOf('object-refused')).toHaveLength(1)
    const eventSearch = await openEventSearch()
    expect(await eventSearch.count(phone, 'object-refused')).toBe(1)
    eventSearch.close()
  })
})

describe('a limit that was reached (D126)', () => {
  it('is recorded once for an account that sends a thousand calls at once', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    const applicant = await signIn(server, { phone })
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => applicant.call('readAccount')))
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(100)
    await expect.poll(() => rowsOf('limit-reached')).toHaveLength(1)
    const eventSearch = await openEventSearch()
    expect(await eventSearch.count(phone, 'limit-reached')).toBe(1)
    eventSearch.close()
  })

  it('is recorded once when twenty statements record it at the same moment', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    const applicant = await signIn(server, { phone })
    const { applicantId } = applicant
    const event = { kind: 'limit-reached', subject: { applicantId }, address: '192.0.2.1' } as const
    await Promise.all(
      Array.from({ length: 20 }, () => recordDailyEvent(server.services.db, server.services, event)),
    )
    expect(await rowsOf('limit-reached')).toHaveLength(1)
  })

  it('is recorded for the contact whose codes are used up, and an operator finds it by that contact', async () => {
    server = await startTestServer({ offices: 'none' })
    const browser = openBrowser(server)
    const askFor = (msisdn: string) => browser.call('auth', { body: { msisdn, email: '' } })
    // The minute between two codes is no limit that was reached. A wrong row for it would come before the row of `phone`.
    const kinds = [(await askFor(ownerPhone)).kind, (await askFor(ownerPhone)).kind]
    expect(kinds).toEqual(['ok', 'failed'])
    for (let asked = 0; asked < 6; asked += 1) {
      await askFor(phone)
      await server.advanceSeconds(61)
    }
    await expect.poll(() => rowsOf('limit-reached')).toHaveLength(1)
    const eventSearch = await openEventSearch()
    expect(await eventSearch.count(phone, 'limit-reached')).toBe(1)
    expect(await eventSearch.count(ownerPhone, 'limit-reached')).toBe(0)
    eventSearch.close()
  })

  it('is recorded by a later call when the row of the first one cannot be stored', async () => {
    server = await startTestServer({ offices: 'none' })
    const { db } = server.services
    const browser = openBrowser(server)
    const contact = { msisdn: phone, email: '' }
    await sql`alter table security_event rename to away`.execute(db)
    for (let asked = 0; asked < 6; asked += 1) {
      await browser.call('auth', { body: contact })
      await server.advanceSeconds(61)
    }
    await expect.poll(() => server.warnings).toMatchObject([{ message: unstoredWarning }])
    await sql`alter table away rename to security_event`.execute(db)
    await browser.call('auth', { body: contact })
    await expect.poll(() => rowsOf('limit-reached')).toHaveLength(1)
  })
})

const unstoredWarning =
  'The daily security event of a refused call could not be stored. The caller was refused.'

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
