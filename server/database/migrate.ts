import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type Migration, type MigrationResultSet, Migrator, sql } from 'kysely'
import { migrations as shipped } from './migrations/index.ts'
import { isLockRefusal } from './retry.ts'
import type { Schema } from './schema.ts'

type Migrations = Record<string, Migration>

/** `pending`: migrations that the tables lack. `newer`: migrations of newer releases that the tables have. */
export type MigrationState = { pending: string[]; newer: string[] }

/** The tables are those of another release, and this release cannot work with them. The message is for the operator. */
export class NewerTablesError extends Error {}

/** Another transaction held a table for too long. The message is for the operator. */
export class TableBusyError extends Error {}

/** How long a try waits for a table that another transaction has locked, the pause after it, and the number of tries. */
export type LockWait = { lockMs: number; pauseMs: number; tries: number }

/**
 * While a migration waits for a table, all later statements on that table wait behind it. So a try is shorter than the
 * default of `DATABASE_LOCK_SECONDS`, and the waiting statements run in the pause. All tries take two minutes and a half.
 */
const usualWait: LockWait = { lockMs: 2_000, pauseMs: 3_000, tries: 30 }

/**
 * Runs the pending migrations, each in a transaction of its own, and returns the names of those that it ran. So the
 * locks of a migration end with it, and after a crash the next start continues with the first one that is not done. On
 * an empty database, which no server uses yet, all run in one transaction, because that takes a fifth of the time.
 * Kysely's migrator holds an advisory lock of the database, so servers that start together run each migration once. On
 * the tables of a newer release with which this release can work, it runs nothing (D73).
 *
 * @throws {NewerTablesError} as `readMigrationState`.
 * @throws {TableBusyError} when another transaction held a table during all tries.
 * @throws the error of the migration that failed; the migrations before it are done, but on an empty
 *   database no migration is done.
 */
export async function migrate(
  db: Kysely<Schema>,
  migrations: Migrations = shipped,
  wait: LockWait = usualWait,
): Promise<string[]> {
  const { pending, newer } = await readMigrationState(db, migrations)
  // A server whose role may not change tables starts on tables that need no change (D117).
  if (newer.length > 0 || pending.length === 0) return []
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(limitLockWaits(migrations, wait)) },
    // Two branches may be merged in another order than the numbers of their migrations.
    allowUnorderedMigrations: true,
  })
  if (pending.length === Object.keys(migrations).length) return migrateAll(migrator)
  const done: string[] = []
  for (;;) {
    const [result] = await migrateOne(migrator, wait)
    if (result === undefined) return done
    done.push(result.migrationName)
  }
}

async function migrateAll(migrator: Migrator): Promise<string[]> {
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}

/**
 * Limits the waits of each migration for locks. Kysely waits for another server that runs the migrations before the
 * transaction of the migration begins, so this limit does not end that wait.
 */
function limitLockWaits(migrations: Migrations, { lockMs }: LockWait): Migrations {
  const limited = Object.entries(migrations).map(([name, migration]): [string, Migration] => [
    name,
    {
      async up(db) {
        await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(db)
        await migration.up(db)
      },
    },
  ])
  return Object.fromEntries(limited)
}

/** Runs the next pending migration; its results are empty when none is pending. */
async function migrateOne(
  migrator: Migrator,
  { pauseMs, tries }: LockWait,
): Promise<NonNullable<MigrationResultSet['results']>> {
  for (let attempt = 1; ; attempt += 1) {
    const { error, results = [] } = await migrator.migrateUp()
    if (error === undefined) return results
    if (!isLockRefusal(error)) throw error
    if (attempt >= tries)
      throw new TableBusyError(
        `The migration ${results[0]?.migrationName ?? ''} did not get a table in ${tries} tries, because another transaction uses it: a backup with pg_dump, or a transaction that was left open. The migrations before it are done. Wait for that transaction or end it, then start again.`,
        { cause: error },
      )
    await pause(pauseMs)
  }
}

/**
 * Compares the tables with the migrations of this release.
 *
 * @throws {NewerTablesError} when a newer release has narrowed the tables too far for this release, or when they have a
 *   migration of another release and lack one of this release.
 */
export async function readMigrationState(
  db: Kysely<Schema>,
  migrations: Migrations = shipped,
): Promise<MigrationState> {
  const executed = await listExecuted(db)
  const known = Object.keys(migrations)
  const pending = known.filter(name => !executed.includes(name))
  const newer = executed.filter(name => !known.includes(name))
  const narrowing = newer.find(name => !isCompatible(name, known))
  if (narrowing !== undefined || (newer.length > 0 && pending.length > 0))
    throw new NewerTablesError(
      `The tables have the migration ${narrowing ?? newer.join(', ')} of a newer release, with which this release cannot work. Start the newer release, or restore the tables from a backup.`,
    )
  return { pending, newer }
}

async function listExecuted(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (rows[0]?.found !== true) return []
  const executed = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return executed.rows.map(({ name }) => name)
}

/**
 * The name of a migration that narrows the tables ends with the number of the migration that a release must have to work with
 * them: `0101-drop-old-codes-needs-0099`.
 */
function isCompatible(name: string, known: readonly string[]): boolean {
  const needed = /-needs-(\d{4})$/.exec(name)?.[1]
  return needed === undefined || known.some(each => each.startsWith(needed))
}
