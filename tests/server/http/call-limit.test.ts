import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, type SignedInDirectly, signIn, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterAll(() => server?.close())

describe('all calls of one applicant (D69, ASVS 2.4.1)', () => {
  it('are refused after 600 in a row, those of others are not, and later they are answered again', async () => {
    const applicant = await signInDirectly(server)
    const call = () => applicant.call('listPaymentMethods')
    let answered = 0
    let answer = await call()
    for (; answer.status === 200; answer = await call()) answered += 1
    expect(answer).toMatchObject({
      kind: 'failed',
      status: 429,
      headers: { 'retry-after': '1' },
      failure: { reason: 'too-many-requests' },
    })
    // The slow clock of the test allows a few more on a busy machine.
    expect(answered).toBeGreaterThanOrEqual(600)
    expect(answered).toBeLessThan(620)
    const other = await signInDirectly(server, { phone: '237671234568' })
    expect((await other.call('listPaymentMethods')).status).toBe(200)
    await server.advanceSeconds(1)
    expect((await applicant.call('createApplication')).status).toBe(200)
  })

  it('are not used up by tokens of a session that the applicant has ended', async () => {
    const phone = '237671234569'
    const stolen = await signIn(server, { phone })
    await server.advanceSeconds(61)
    const owner = await signIn(server, { phone })
    bodyOf(await owner.call('endOtherSessions'))
    const statuses = new Set<number>()
    for (let index = 0; index < 350; index += 1)
      for (const name of ['listPaymentMethods', 'createApplication'] as const)
        statuses.add((await stolen.call(name)).status)
    expect([...statuses]).toEqual([401])
    expect((await owner.call('listPaymentMethods')).status).toBe(200)
  })
})

/** Asks for something that does not exist: the refusal is stored under the key. */
const writeNothing = (applicant: SignedInDirectly) =>
  applicant.call('deleteApplication', { key: randomUUID(), params: { id: randomUUID() } })

/** Sends 200 writes a minute, which is within the limit of all calls, until one is refused or 1,000 are answered. */
async function writeUntilRefused(applicant: SignedInDirectly) {
  for (let minute = 0; minute < 5; minute += 1) {
    for (let count = 0; count < 200; count += 1) {
      const answer = await writeNothing(applicant)
      if (answer.status === 429) return answer
    }
    await server.advanceSeconds(60)
  }
  return undefined
}

async function countStoredAnswers({ applicantId }: SignedInDirectly): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from idempotency where scope like ${`${applicantId} %`}`.execute(
    server.services.db,
  )
  return rows[0]?.count ?? 0
}

/** An account whose writes are used up; its first write can be repeated. */
async function openSpentAccount(phone: string) {
  const applicant = await signInDirectly(server, { phone })
  const first = { key: randomUUID(), params: { id: randomUUID() } }
  const repeat = () => applicant.call('deleteApplication', first)
  expect((await repeat()).status).toBe(404)
  expect((await writeUntilRefused(applicant))?.status).toBe(429)
  return { applicant, repeat }
}

describe('the writes of one account with an idempotency key (D13, D69)', () => {
  // For the last two tests: 600 writes take a second of CPU time.
  let spent: Awaited<ReturnType<typeof openSpentAccount>> | undefined

  it('leave 600 stored answers and ten more a minute at most, repeats of one do not count, and a refused write says when to come back', async () => {
    const applicant = await signInDirectly(server, { phone: '237671234570' })
    const { id } = bodyOf(await applicant.call('createApplication')).data
    const save = { params: { id }, body: { draft: true, surname: 'MBARGA', baseVersion: 0 } }
    bodyOf(await applicant.call('saveData', save))
    // No answer with the data of the applicant is stored, so these do not count.
    for (let count = 0; count < 100; count += 1)
      expect((await applicant.call('saveData', { ...save, key: randomUUID() })).status).toBe(409)
    expect(await countStoredAnswers(applicant)).toBe(0)
    // As after a lost answer.
    const repeated = { key: randomUUID(), params: { id: randomUUID() } }
    for (let count = 0; count < 100; count += 1)
      expect((await applicant.call('deleteApplication', repeated)).status).toBe(404)
    expect(await countStoredAnswers(applicant)).toBe(1)
    const refused = await writeUntilRefused(applicant)
    expect(refused).toMatchObject({ kind: 'failed', failure: { reason: 'too-many-requests' } })
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(6)
    const stored = await countStoredAnswers(applicant)
    expect(stored).toBeGreaterThanOrEqual(600)
    // Ten a minute are added.
    expect(stored).toBeLessThan(640)
  })

  it('are answered beyond the limit when the key is known, when they end a session, and after a while', async () => {
    spent ??= await openSpentAccount('237671234571')
    const { applicant, repeat } = spent
    expect((await repeat()).status).toBe(404)
    expect((await applicant.call('endOtherSessions', { key: randomUUID() })).status).toBe(200)
    expect((await writeNothing(applicant)).status).toBe(429)
    const other = await signInDirectly(server, { phone: '237671234572' })
    expect((await writeNothing(other)).status).toBe(404)
    await server.advanceSeconds(6)
    expect((await writeNothing(applicant)).status).toBe(404)
  })

  it('get 401 beyond the limit when the session has ended', async () => {
    spent ??= await openSpentAccount('237671234571')
    const { applicant } = spent
    expect((await writeUntilRefused(applicant))?.status).toBe(429)
    await server.services.db
      .updateTable('session')
      .set({ ended_at: server.clock.now() })
      .where('applicant_id', '=', applicant.applicantId)
      .execute()
    expect((await writeNothing(applicant)).status).toBe(401)
  })
})
