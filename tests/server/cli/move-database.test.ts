import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listTables, countAndChecksum } from '#server/database/copy-database.ts'
import type { Schema } from '#server/database/schema.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { createApp } from '#server/start/app.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { findFreeTime, createPaidApplication, type PaidApplication } from '../paid-application.ts'
import { openCliFixture } from './cli-fixture.ts'

let server: TestServer
let target: TestDatabase
let applicant: SignedIn
let paid: PaidApplication

beforeAll(async () => {
  server = await startTestServer()
  target = await openTestDatabase('postgresql')
  applicant = await signIn(server)
  paid = await createPaidApplication(server, applicant)
  const { applicationId } = paid
  const appointmentDate = await findFreeTime(applicant, applicationId)
  const body = { applicationId, officeId: '1', appointmentDate }
  const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
  bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
  // A text that only an exact copy keeps, and the JSON value null, which is not SQL's null.
  await server.services.db.updateTable('application').set({ additional_data: exactText }).execute()
  await sql`update idempotency set answer = 'null'::jsonb`.execute(server.services.db)
})
afterAll(async () => {
  await target.close()
  await server.close()
})

const exactText = 'a\\"b,(c)\n\t’ \'é'

/** Runs the command with the database of the server as the embedded one. */
function move(...options: string[]) {
  return moveTo(target.databaseUrl, ...options)
}

async function moveTo(databaseUrl: string, ...options: string[]) {
  const config = { ...server.services.config, databaseUrl }
  const cli = openCliFixture({ ...server.services, config })
  try {
    return await cli.run('move-database', ...options)
  } finally {
    cli.close()
  }
}

async function countRelations(): Promise<number> {
  const { rows } = await sql`select from pg_class where relnamespace = 'public'::regnamespace`.execute(
    target.db,
  )
  return rows.length
}

async function sequencesOf(db: Kysely<Schema>) {
  return (await sql`select sequencename, last_value from pg_sequences order by sequencename`.execute(db)).rows
}

describe('npm run office -- move-database (D103)', () => {
  it('leaves the target empty in a dry run and when a copied row breaks a foreign key', async () => {
    const { db } = server.services
    const trial = await move('--dry-run')
    expect({ ...trial, lines: trial.lines.slice(-2) }).toEqual({
      kind: 'done',
      lines: [
        expect.stringMatching(/^\d{3,} rows copied, compared and deleted again\.$/),
        'A dry run: nothing was changed.',
      ],
    })
    expect(await countRelations()).toBe(0)
    await sql`alter table payment_event disable trigger all`.execute(db)
    await sql`insert into payment_event (payment_id, kind) values (gen_random_uuid(), 'orphan')`.execute(db)
    await expect(move()).rejects.toThrow('foreign key')
    expect(await countRelations()).toBe(0)
    await sql`delete from payment_event where kind = 'orphan'`.execute(db)
    await sql`alter table payment_event enable trigger all`.execute(db)
  })

  it('says before it copies that the role of the servers may not create tables (D117)', async () => {
    const role = `portal_${randomUUID().replaceAll('-', '')}`
    await sql`create role ${sql.id(role)} login`.execute(target.db)
    const asServers = new URL(target.databaseUrl)
    asServers.username = role
    expect(await moveTo(asServers.href)).toEqual({
      kind: 'refused',
      lines: [
        'The user of DATABASE_URL may not create tables in its database. Name the owner of the database; afterwards "migrate --grant-to ROLE" lets the servers use the tables as a role of their own.',
      ],
    })
    expect(await countRelations()).toBe(0)
    await sql`drop role ${sql.id(role)}`.execute(target.db)
  })

  it('leaves the target empty when a row of the copy differs from its source', async () => {
    // Changes an office after its row was copied, while there are no foreign keys. Triggers of tables do not run then.
    await sql`create schema fault`.execute(target.db)
    await sql`create function fault.change_office() returns event_trigger language plpgsql as $$ begin
      if not exists (select from pg_constraint where contype = 'f') and to_regclass('public.office') is not null then
        update public.office set address = address || '!' where id = (select min(id) from public.office);
      end if; end $$`.execute(target.db)
    await sql`create event trigger change_office on ddl_command_end when tag in ('ALTER TABLE')
      execute function fault.change_office()`.execute(target.db)
    await expect(move()).rejects.toThrow(
      /^The copy of office differs: it has all \d+ rows, but another checksum\.$/,
    )
    expect(await countRelations()).toBe(0)
    await sql`drop event trigger change_office`.execute(target.db)
    await sql`drop schema fault cascade`.execute(target.db)
  })

  it('copies every row and every sequence, and the portal answers on the copy', async () => {
    const { db, clock } = server.services
    const { kind, lines } = await move('--as', 'Awa')
    expect({ kind, last: lines.at(-1) }).toEqual({
      kind: 'done',
      last: expect.stringMatching(/^\d{3,} rows copied and compared\./),
    })
    const tables = await listTables(db)
    expect(tables.length).toBeGreaterThan(20)
    for (const name of tables.filter(each => each !== 'operator_record')) {
      const copied = await countAndChecksum(target.db, name)
      expect({ name, ...copied }).toEqual({ name, ...(await countAndChecksum(db, name)) })
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`^${name} +${copied.rows} +${copied.checksum}$`)),
      )
    }
    expect(await sequencesOf(target.db)).toEqual(await sequencesOf(db))
    const last = target.db.selectFrom('operator_record').select(['operator', 'command']).orderBy('id', 'desc')
    expect(await last.executeTakeFirst()).toEqual({ operator: 'Awa', command: 'move-database' })

    // The copy has the machine's clock. The session began at 11:00 on the test's clock: at night it would be too old.
    const env = { CAPTCHA: 'off', SESSION_MAX_SECONDS: '172800' }
    const services = await servicesOn(target.db, { clock, env })
    expect(services.epoch).toBe(server.services.epoch)
    const app = createApp(services, { providers: paymentProviders(services), listen: target.listen })
    const answer = await app.inject({
      url: '/api/v1/applications',
      headers: { authorization: `Bearer ${applicant.token}` },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toContain(paid.number)
    expect(answer.body).toContain('APPOINTMENT_SCHEDULED')
    await app.close()
  })

  it('refuses a target that is not empty', async () => {
    expect(await move()).toEqual({
      kind: 'refused',
      lines: ['The database of DATABASE_URL is not empty. Create a new one: createdb portal.'],
    })
  })
})
