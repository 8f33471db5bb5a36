import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fingerprintOf, type Intent, runInTransaction, runInTwoSteps } from '#server/http/idempotency.ts'
import { bodyOf, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

function newApplicant() {
  return signInDirectly(server)
}

async function countApplications(applicantId: string): Promise<number> {
  const rows = await server.services.db
    .selectFrom('application')
    .select('id')
    .where('applicant_id', '=', applicantId)
    .execute()
  return rows.length
}

const secret = new Uint8Array(32)

describe('a write with an idempotency key', () => {
  it('runs once and gets the same answer every time', async () => {
    const applicant = await newApplicant()
    const key = crypto.randomUUID()
    const first = bodyOf(await applicant.call('createApplication', { key }))
    const again = bodyOf(await applicant.call('createApplication', { key }))
    expect(again).toEqual(first)
    expect(await countApplications(applicant.applicantId)).toBe(1)
  })

  it('gets the same answer for seven days, and then runs again', async () => {
    const applicant = await newApplicant()
    const key = crypto.randomUUID()
    const first = bodyOf(await applicant.call('createApplication', { key }))
    // From now on a call that runs creates another application, because this one is no longer open.
    await server.services.db
      .updateTable('application')
      .set({ state: 'PAYMENT_DONE' })
      .where('id', '=', first.data.id)
      .execute()
    await ageKeys(6.9 * 86_400)
    expect(bodyOf(await applicant.call('createApplication', { key }))).toEqual(first)
    await ageKeys(0.2 * 86_400)
    expect(bodyOf(await applicant.call('createApplication', { key })).data.id).not.toBe(first.data.id)
  })

  it('is 422 when the same call used the key with another body', async () => {
    const applicant = await newApplicant()
    const { id } = bodyOf(await applicant.call('createApplication')).data
    const key = crypto.randomUUID()
    const save = (surname: string) =>
      applicant.call('saveData', { key, params: { id }, body: { draft: true, surname } })
    bodyOf(await save('MBARGA'))
    bodyOf(await save('MBARGA'))
    expect(await save('ATANGANA')).toMatchObject({
      kind: 'failed',
      status: 422,
      failure: { reason: 'key-reused' },
    })
  })

  it('gets the same status again when it was refused', async () => {
    const applicant = await newApplicant()
    const key = crypto.randomUUID()
    const params = { id: crypto.randomUUID() }
    const ask = () => applicant.call('confirmAppointment', { key, params })
    const first = await ask()
    expect(first.kind).toBe('failed')
    expect(await ask()).toMatchObject({ status: first.status })
  })

  it('does not store a refusal that contains the applicant’s data', async () => {
    const applicant = await newApplicant()
    const { id } = bodyOf(await applicant.call('createApplication')).data
    const body = { draft: true, surname: 'MBARGA', baseVersion: 0 }
    bodyOf(await applicant.call('saveData', { params: { id }, body }))
    const key = crypto.randomUUID()
    const ask = () => applicant.call('saveData', { key, params: { id }, body })
    const refused = { status: 409, failure: { reason: 'stale-version', data: { surname: 'MBARGA' } } }
    expect(await ask()).toMatchObject(refused)
    expect(await ask()).toMatchObject(refused)
    const { rows } = await sql`select from idempotency where answer::text like '%MBARGA%'`.execute(
      server.services.db,
    )
    expect(rows).toEqual([])
  })

  it('runs when another applicant or another call has used its key', async () => {
    const [one, other] = [await newApplicant(), await newApplicant()]
    const key = crypto.randomUUID()
    const first = bodyOf(await one.call('createApplication', { key })).data
    const second = bodyOf(await other.call('createApplication', { key })).data
    expect(second.id).not.toBe(first.id)
    const saved = await one.call('saveData', { key, params: { id: first.id }, body: { draft: true } })
    expect(saved.kind).toBe('ok')
  })

  it('is 401 and does nothing after the end of the session: with an answered key, a new key and no key', async () => {
    const applicant = await newApplicant()
    const { applicantId } = applicant
    const key = crypto.randomUUID()
    bodyOf(await applicant.call('createApplication', { key }))
    await server.services.db
      .updateTable('session')
      .set({ ended_at: server.clock.now() })
      .where('applicant_id', '=', applicantId)
      .execute()
    for (const each of [key, crypto.randomUUID(), undefined])
      expect(
        await applicant.call('createApplication', each === undefined ? {} : { key: each }),
      ).toMatchObject({
        status: 401,
      })
    expect(await countApplications(applicantId)).toBe(1)
    const { rows } = await sql`select from idempotency where scope like ${`${applicantId} %`}`.execute(
      server.services.db,
    )
    expect(rows).toHaveLength(1)
  })

  it.each(['', 'short', 'x'.repeat(101), 'with space 123'])('is 422 when the key is %j', async key => {
    const applicant = await newApplicant()
    const answer = await applicant.call('createApplication', { key })
    expect(answer).toMatchObject({
      kind: 'failed',
      status: 422,
      failure: { errors: [{ field: 'idempotency-key' }] },
    })
  })
})

const outcome = { status: 200, body: { data: 1 } }
const repeated = { ...outcome, isRepeated: true }

describe('a write in two steps', () => {
  it('runs once when ten calls come at once, and is refused as in-flight while it runs (D13)', async () => {
    let runs = 0
    const { gate, opened } = openGate()
    const run = async () => {
      runs += 1
      await opened
      return outcome
    }
    let refused = 0
    const calls = Array.from({ length: 10 }, async () => {
      const answer = await runOnce(intent('flight'), run)
      if ('refused' in answer) refused += 1
      return answer
    })
    // Any of them may be the one that runs.
    await expect.poll(() => refused).toBe(9)
    gate.open()
    const answers = await Promise.all(calls)
    expect(answers.filter(answer => !('refused' in answer))).toEqual([outcome])
    expect(answers.filter(answer => 'refused' in answer)).toEqual(
      Array.from({ length: 9 }, () => ({ refused: 'in-flight' })),
    )
    expect(runs).toBe(1)
  })

  it('is stored with its own answer when a hundred end at once and one of them cannot be stored', async () => {
    const numbers = Array.from({ length: 100 }, (_, number) => number)
    const endings = await Promise.allSettled(
      numbers.map(number => {
        const status = number === 7 ? 200.5 : 200 // the column takes only integers
        return runOnce(intent(`many ${number}`), async () => ({ status, body: { data: number } }))
      }),
    )
    expect(endings.flatMap(({ status }, number) => (status === 'rejected' ? [number] : []))).toEqual([7])
    const others = numbers.filter(number => number !== 7)
    const again = others.map(number =>
      runOnce(intent(`many ${number}`), () => Promise.reject(new Error('twice'))),
    )
    expect(await Promise.all(again)).toEqual(
      others.map(number => ({ status: 200, body: { data: number }, isRepeated: true })),
    )
    expect(await runOnce(intent('many 7'), async () => outcome)).toEqual(outcome)
  })

  it('runs again, and only once, a minute after the process that claimed it crashed', async () => {
    const { db } = server.services
    await db
      .insertInto('idempotency')
      .values({ ...intent('crash') })
      .execute()
    await ageKeys(55)
    expect(await runOnce(intent('crash'), async () => outcome)).toEqual({ refused: 'in-flight' })
    await ageKeys(6)
    let runs = 0
    const run = async () => {
      runs += 1
      return outcome
    }
    await Promise.all([1, 2, 3].map(() => runOnce(intent('crash'), run)))
    expect(runs).toBe(1)
    expect(await runOnce(intent('crash'), async () => ({ status: 500, body: {} }))).toEqual(repeated)
  })

  it('runs again although the clock of the database was a day ahead when a process claimed it and crashed (D95)', async () => {
    const { db } = server.services
    const ahead = intent('crash in the future')
    await db
      .insertInto('idempotency')
      .values({ ...ahead, created_at: sql<Date>`now() + interval '1 day'` })
      .execute()
    expect(await runOnce(ahead, async () => outcome)).toEqual(outcome)
    expect(await runOnce(ahead, async () => ({ status: 500, body: {} }))).toEqual(repeated)
  })

  it('runs again after a status of 500 or more and after an exception', async () => {
    expect(await runOnce(intent('again'), async () => ({ status: 503, body: {} }))).toMatchObject({
      status: 503,
    })
    await expect(runOnce(intent('again'), () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    expect(await runOnce(intent('again'), async () => outcome)).toEqual(outcome)
  })

  it('has the same fingerprint in any order of the body’s fields and any language', () => {
    const one = fingerprintOf({ params: {}, query: { lg: 'fr' }, body: { a: 1, b: { c: 2, d: 3 } } }, secret)
    const other = fingerprintOf(
      { query: { lg: 'en' }, params: {}, body: { b: { d: 3, c: 2 }, a: 1 } },
      secret,
    )
    expect(other).toBe(one)
    expect(fingerprintOf({ params: {}, query: {}, body: { a: 1, b: { c: 2, d: 4 } } }, secret)).not.toBe(one)
  })
})

describe('a write in one transaction (D72)', () => {
  it('runs once when nine calls come at once: the others wait for it and get its answer', async () => {
    const own = await startTestServer({ database: 'postgresql' })
    try {
      let runs = 0
      const { gate, opened } = openGate()
      const run = async () => {
        runs += 1
        await opened
        return outcome
      }
      const calls = Array.from({ length: 9 }, () => runInTransaction(own.services, intent('at once'), run))
      await expect.poll(() => countWaiting(own)).toBe(8)
      gate.open()
      const answers = await Promise.all(calls)
      expect(answers.filter(answer => 'isRepeated' in answer)).toEqual(
        Array.from({ length: 8 }, () => repeated),
      )
      expect(answers.filter(answer => !('isRepeated' in answer))).toEqual([outcome])
      expect(runs).toBe(1)
    } finally {
      await own.close()
    }
  })

  it('runs for the second call with its key when the first one fails', async () => {
    const own = await startTestServer({ database: 'postgresql' })
    try {
      const { gate, opened } = openGate()
      const runs = openGate()
      const first = runInTransaction(own.services, intent('fails'), async () => {
        runs.gate.open()
        await opened
        throw new Error('bug')
      })
      // Both calls have a connection of their own: without this wait either could be the first.
      await runs.opened
      const second = runInTransaction(own.services, intent('fails'), async () => outcome)
      const ended = Promise.allSettled([first, second])
      await expect.poll(() => countWaiting(own)).toBe(1)
      gate.open()
      expect(await ended).toEqual([
        { status: 'rejected', reason: new Error('bug') },
        { status: 'fulfilled', value: outcome },
      ])
    } finally {
      await own.close()
    }
  })

  it('leaves neither its key nor its effect after an answer that is not stored, nor after an exception', async () => {
    const before = await countApplicants()
    const fail = (end: () => Promise<typeof outcome>) =>
      runInTransaction(server.services, intent('undone'), async trx => {
        await trx.insertInto('applicant').values({ language: 'en' }).execute()
        return end()
      })
    expect(await fail(async () => ({ ...outcome, status: 503 }))).toMatchObject({ status: 503 })
    await expect(fail(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    expect(await countApplicants()).toBe(before)
    expect(await runInTransaction(server.services, intent('undone'), async () => outcome)).toEqual(outcome)
  })

  it('does not run for a minute after an older release has claimed its key and has not answered', async () => {
    await server.services.db
      .insertInto('idempotency')
      .values({ ...intent('older') })
      .execute()
    const again = () => runInTransaction(server.services, intent('older'), async () => outcome)
    expect(await again()).toEqual({ refused: 'in-flight' })
    await ageKeys(61)
    expect(await again()).toEqual(outcome)
  })

  it('is refused as unavailable after five lost races, which is logged, and can then be repeated', async () => {
    const applicant = await newApplicant()
    const key = crypto.randomUUID()
    const { db } = server.services
    await sql`create sequence lost_races`.execute(db)
    await sql`
      create function lose() returns trigger language plpgsql as $$
      begin
        perform nextval('lost_races');
        raise exception 'lost' using errcode = 'unique_violation';
      end $$`.execute(db)
    await sql`create trigger lose before insert on application for each row execute function lose()`.execute(
      db,
    )
    expect(await applicant.call('createApplication', { key })).toMatchObject({
      status: 503,
      failure: { reason: 'unavailable' },
    })
    // A sequence keeps its value after a rollback.
    const { rows } = await sql`select last_value::integer as races from lost_races`.execute(db)
    expect(rows).toEqual([{ races: 5 }])
    expect(server.warnings.splice(0)).toMatchObject([{ level: 'warn' }])
    await sql`drop trigger lose on application`.execute(db)
    expect((await applicant.call('createApplication', { key })).status).toBe(200)
  })
})

function runOnce(asked: Intent, run: Parameters<typeof runInTwoSteps>[2]) {
  return runInTwoSteps(server.services, asked, run)
}

async function countApplicants(): Promise<number> {
  const rows = await server.services.db.selectFrom('applicant').select('id').execute()
  return rows.length
}

/** Calls that wait for the transaction of another one. */
async function countWaiting({ services }: TestServer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(services.db)
  return rows[0]?.count ?? 0
}

function openGate() {
  const gate = { open: (): void => undefined }
  const opened = new Promise<void>(resolve => {
    gate.open = resolve
  })
  return { gate, opened }
}

function intent(key: string) {
  return { scope: 'test', key, fingerprint: fingerprintOf({ params: {}, query: {}, body: key }, secret) }
}

/** Makes every stored key older. */
async function ageKeys(seconds: number): Promise<void> {
  await sql`update idempotency set created_at = created_at - make_interval(secs => ${seconds})`.execute(
    server.services.db,
  )
}
