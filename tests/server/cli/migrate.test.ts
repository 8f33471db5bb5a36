import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '#server/cli/cli.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { openDatabase } from '#server/start/open-database.ts'
import { configOf, silentLogger } from '#support/servers/services-on.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase('postgresql')
  vi.stubEnv('DATABASE_URL', database.databaseUrl)
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await database.close()
})

async function countTables(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(database.db)
  return rows[0]?.count ?? 0
}

async function executed(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    database.db,
  )
  return rows.map(({ name }) => name)
}

function urlOf(user: string): string {
  const url = new URL(database.databaseUrl)
  url.username = user
  return url.href
}

/** Records a migration of a newer release. A release without 0099 refuses a name that ends with `-needs-0099`. */
async function addNewer(name: string): Promise<void> {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(database.db)
}

describe('the office commands and the tables (D73)', () => {
  it('refuse to run on an empty database, and create no table', async () => {
    for (const words of [['payments'], ['payments', '--dry-run'], ['after-restore', '--dry-run']])
      expect(await runCommandLine(words)).toBe(1)
    expect(await countTables()).toBe(0)
  })

  it('migrate runs the migrations, and --dry-run none of them', async () => {
    expect(await runCommandLine(['migrate', '--dry-run'])).toBe(0)
    expect(await countTables()).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
    expect(await executed()).toEqual(Object.keys(migrations))
    expect(await runCommandLine(['payments', '--dry-run'])).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
  })

  it('migrate says in a dry run that it did not look at the role of --grant-to (D117)', async () => {
    const { code, lines } = await runMigrate('--dry-run', '--grant-to', 'nobody')
    expect(code).toBe(0)
    expect(lines.slice(-2)).toEqual([
      'A dry run does not look at the role of --grant-to.',
      'A dry run: nothing was changed.',
    ])
  })

  it('run on the tables of a newer release, unless that release has narrowed them', async () => {
    await runCommandLine(['migrate'])
    await addNewer('9998-wider')
    expect(await runCommandLine(['payments'])).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
    await addNewer('9999-narrower-needs-9998')
    expect(await runCommandLine(['payments'])).toBe(1)
    expect(await runCommandLine(['migrate'])).toBe(1)
  })
})

describe('the role that the servers use (D117, ASVS 13.2.2)', () => {
  const role = `portal_${randomUUID().replaceAll('-', '')}`
  const otherRole = `other_${randomUUID().replaceAll('-', '')}`
  const roles = [role, otherRole].map(name => sql.id(name))
  const servingUrl = () => urlOf(role)
  /** The next command connects as a role that may create tables, but does not own those that exist. */
  const connectAsOtherOwner = async () => {
    await sql`grant create on schema public to ${sql.id(otherRole)}`.execute(database.db)
    vi.stubEnv('DATABASE_URL', urlOf(otherRole))
  }
  /** Counts the rights of the role to tables. */
  const countRights = async () => {
    const { rows } = await sql`
      select from information_schema.role_table_grants where grantee = ${role}`.execute(database.db)
    return rows.length
  }
  beforeEach(async () => {
    for (const each of roles) await sql`create role ${each} login`.execute(database.db)
  })
  afterEach(async () => {
    for (const each of roles) {
      await sql`drop owned by ${each}`.execute(database.db)
      await sql`drop role ${each}`.execute(database.db)
    }
  })

  it('opens migrated tables as a server does, and adds rows but changes no table and no stored record', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', role])).toBe(0)
    expect(await countRights()).toBeGreaterThan(0)
    const config = configOf({ DATABASE_URL: servingUrl() })
    const { db, close, probe } = await openDatabase(config, silentLogger)
    await probe()
    await db.insertInto('applicant').values({ language: 'fr' }).execute()
    const record = {
      operator: 'a',
      machine_user: 'a',
      command: 'move',
      about: [],
      reason: '',
      dry_run: false,
    }
    await db.insertInto('operator_record').values(record).execute()
    for (const statement of [
      'update operator_record set operator = null',
      'delete from operator_record',
      'truncate operator_record',
      'alter table operator_record disable trigger all',
      'drop table applicant',
      'create table other ()',
      'delete from kysely_migration',
    ])
      await expect(sql.raw(statement).execute(db), statement).rejects.toMatchObject({ code: '42501' })
    await close()
  })

  it('is created by the script of compose.yaml without any right of its own', async () => {
    const script = readFileSync('docs/packaging/serving-role.sql', 'utf8')
    const [, statement = ''] = /^(create role serving .*;)$/m.exec(script) ?? []
    await sql`drop role ${sql.id(role)}`.execute(database.db)
    await sql
      .raw(statement.replace('serving', role).replace(":'password'", "'0123456789abcdef'"))
      .execute(database.db)
    expect(await runCommandLine(['migrate'])).toBe(0)
    await expect(openDatabase(configOf({ DATABASE_URL: servingUrl() }), silentLogger)).rejects.toThrow()
    expect(await runCommandLine(['migrate', '--grant-to', role])).toBe(0)
    expect(await warningsOf(servingUrl())).toEqual([])
    const { rows } = await sql`
      select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin
      from pg_roles where rolname = ${role}`.execute(database.db)
    expect(Object.entries(rows[0] ?? {}).filter(([, has]) => has)).toEqual([['rolcanlogin', true]])
  })

  it('starts no server on an empty database, and the sentence says what to do', async () => {
    const config = configOf({ DATABASE_URL: servingUrl() })
    const error: unknown = await openDatabase(config, silentLogger).catch((failure: unknown) => failure)
    expect(explainDatabaseFailure(error, { databaseUrl: servingUrl(), dataDir: '' })).toContain(
      `npm run office -- migrate --grant-to ${role}"`,
    )
  })

  it('causes no warning in production, while a role that owns the tables causes one', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', role])).toBe(0)
    expect(await warningsOf(servingUrl())).toEqual([])
    expect(await warningsOf(database.databaseUrl)).toEqual([expect.stringContaining('--grant-to')])
  })

  it('must exist and must not own the tables', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', 'nobody-here'])).toBe(1)
    expect(await runCommandLine(['migrate', '--grant-to', 'postgres'])).toBe(1)
  })

  it('when it does not exist, the command still names the migrations that it ran, and then says why the grant failed', async () => {
    const { code, lines, faults } = await runMigrate('--grant-to', 'nobody-here')
    const names = Object.keys(migrations)
    expect({ code, lines }).toEqual({ code: 1, lines: [...names, `${names.length} migrations done.`] })
    expect(faults).toContain('no role "nobody-here"')
    expect(await executed()).toEqual(names)
  })

  it('gets no rights from a role that does not own all tables: the command names the migrations and the reason', async () => {
    await sql`create table of_another_owner ()`.execute(database.db)
    await connectAsOtherOwner()
    const { code, lines, faults } = await runMigrate('--grant-to', role)
    const names = Object.keys(migrations)
    expect({ code, lines }).toEqual({ code: 1, lines: [...names, `${names.length} migrations done.`] })
    expect(faults).toContain('as the owner of the tables')
    expect(await executed()).toEqual(names)
    expect(await countRights()).toBe(0)
  })

  it('gets no rights from a role that may not pass its own rights on, and the command says so', async () => {
    await runMigrate()
    await connectAsOtherOwner()
    await sql`grant select on all tables in schema public to ${sql.id(otherRole)}`.execute(database.db)
    await sql`grant usage on all sequences in schema public to ${sql.id(otherRole)}`.execute(database.db)
    const { code, faults } = await runMigrate('--grant-to', role)
    expect(code).toBe(1)
    expect(faults).toContain('as the owner of the tables')
    expect(await countRights()).toBe(0)
  })

  it('gets no rights when one table of the product has another owner, and the command says so', async () => {
    await runMigrate()
    await connectAsOtherOwner()
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'applicant'`.execute(
      database.db,
    )
    for (const { name } of rows)
      await sql`alter table ${sql.id(name)} owner to ${sql.id(otherRole)}`.execute(database.db)
    await sql`grant select on applicant to ${sql.id(otherRole)}`.execute(database.db)
    const { code, faults } = await runMigrate('--grant-to', role)
    expect(code).toBe(1)
    expect(faults).toContain('as the owner of the tables')
    expect(await countRights()).toBe(0)
  })

  it('gets no rights when the grant waits too long: the command still says that no migration was missing', async () => {
    await runMigrate()
    const url = new URL(database.databaseUrl)
    url.searchParams.set('options', '-c lock_timeout=100')
    vi.stubEnv('DATABASE_URL', url.href)
    await database.db.transaction().execute(async trx => {
      // The grant waits for the transaction of this statement until the lock timeout.
      await sql`revoke all on applicant from ${sql.id(role)}`.execute(trx)
      const { code, lines, faults } = await runMigrate('--grant-to', role)
      expect({ code, lines }).toEqual({ code: 1, lines: ['The tables are those of this release.'] })
      expect(faults).toContain('gave no answer in time')
    })
    expect(await countRights()).toBe(0)
  })
})

type Run = { code: number; lines: string[]; faults: string }

/** Runs the command; `lines` is what it writes to the output, `faults` what it writes to the error output. */
async function runMigrate(...words: string[]): Promise<Run> {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const errorOutput = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const code = await runCommandLine(['migrate', ...words])
  const lines = output.mock.calls.join('').trim().split('\n')
  const faults = errorOutput.mock.calls.join('')
  output.mockRestore()
  errorOutput.mockRestore()
  return { code, lines, faults }
}

/** What a server in production logs as a warning when it opens this database. */
async function warningsOf(databaseUrl: string): Promise<string[]> {
  const warnings: string[] = []
  const warn = (_: object, message: string) => void warnings.push(message)
  const config = { ...configOf({ DATABASE_URL: databaseUrl }), profile: 'production' as const }
  const opened = await openDatabase(config, { ...silentLogger, warn })
  await opened.close()
  return warnings
}
