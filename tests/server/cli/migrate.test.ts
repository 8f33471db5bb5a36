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

/** Records a migration of a newer release. */
async function addNewer(name: string): Promise<void> {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(database.db)
}

describe('the office commands and the tables (D73)', () => {
  it('refuse to run on tables that lack migrations, and change none of them', async () => {
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

  it('run on the tables of a newer release, unless it has narrowed them', async () => {
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
  const servingUrl = () => {
    const url = new URL(database.databaseUrl)
    url.username = role
    return url.href
  }
  beforeEach(() => sql`create role ${sql.id(role)} login`.execute(database.db))
  afterEach(async () => {
    await sql`drop owned by ${sql.id(role)}`.execute(database.db)
    await sql`drop role ${sql.id(role)}`.execute(database.db)
  })

  it('starts a server on migrated tables, and changes rows but no table and no stored record', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', role])).toBe(0)
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

  it('starts no server on tables that lack migrations, and the sentence says what to do', async () => {
    const config = configOf({ DATABASE_URL: servingUrl() })
    const error: unknown = await openDatabase(config, silentLogger).catch((failure: unknown) => failure)
    expect(explainDatabaseFailure(error, { databaseUrl: servingUrl(), dataDir: '' })).toContain(
      'npm run office -- migrate',
    )
  })

  it('is what production warns for when its own role owns the tables', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', role])).toBe(0)
    expect(await warningsOf(servingUrl())).toEqual([])
    expect(await warningsOf(database.databaseUrl)).toEqual([expect.stringContaining('--grant-to')])
  })

  it('must exist and must not own the tables', async () => {
    expect(await runCommandLine(['migrate', '--grant-to', 'nobody-here'])).toBe(1)
    expect(await runCommandLine(['migrate', '--grant-to', 'postgres'])).toBe(1)
  })

  it('does not exist: the command still names the migrations that it ran, and then says why the grant failed', async () => {
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const faults = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await runCommandLine(['migrate', '--grant-to', 'nobody-here'])).toBe(1)
    const names = Object.keys(migrations)
    expect(output.mock.calls.join('').trim().split('\n')).toEqual([
      ...names,
      `${names.length} migrations done.`,
    ])
    expect(faults.mock.calls.join('')).toContain('no role "nobody-here"')
    expect(await executed()).toEqual(names)
  })
})

/** What a server in production logs as a warning when it opens this database. */
async function warningsOf(databaseUrl: string): Promise<string[]> {
  const warnings: string[] = []
  const warn = (_: object, message: string) => void warnings.push(message)
  const config = { ...configOf({ DATABASE_URL: databaseUrl }), profile: 'production' as const }
  const opened = await openDatabase(config, { ...silentLogger, warn })
  await opened.close()
  return warnings
}
