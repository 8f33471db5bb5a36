import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { migrations as shipped } from './migrations/index.ts'
import type { Schema } from './schema.ts'

type Migrations = Record<string, Migration>

/** `pending`: migrations that the tables lack. `newer`: migrations of newer releases that the tables have. */
export type MigrationState = { pending: string[]; newer: string[] }

/** The tables are those of a newer release, and this release cannot work with them. The message is for the operator. */
export class NewerTablesError extends Error {}

/**
 * Runs all pending migrations in one transaction, and returns their names. Kysely's migrator holds an advisory lock of
 * the database, so servers that start together run them one after the other. On the tables of a newer release it runs
 * nothing, because migrations only widen (D73).
 *
 * @throws {NewerTablesError} when a newer release has narrowed the tables.
 * @throws the error of the migration that failed.
 */
export async function migrate(db: Kysely<Schema>, migrations: Migrations = shipped): Promise<string[]> {
  const { pending, newer } = await readMigrationState(db, migrations)
  // A server whose role may not change tables starts on tables that need no change (D117).
  if (newer.length > 0 || pending.length === 0) return []
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    // Two branches may be merged in another order than the numbers of their migrations.
    allowUnorderedMigrations: true,
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}

/**
 * Compares the tables with the migrations of this release.
 *
 * @throws {NewerTablesError} when a newer release has narrowed the tables.
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

/** A migration that narrows names the oldest migration that a release must have: `0021-drop-old-codes-needs-0019`. */
function isCompatible(name: string, known: readonly string[]): boolean {
  const needed = /-needs-(\d{4})$/.exec(name)?.[1]
  return needed === undefined || known.some(each => each.startsWith(needed))
}
