import { type Kysely, type Migration, Migrator } from 'kysely'
import { migrations as shipped } from './migrations/index.ts'
import type { Schema } from './schema.ts'

/**
 * Runs all pending migrations in one transaction. Kysely's migrator holds an advisory lock of the database, so servers
 * that start together run them one after the other.
 *
 * @throws the error of the migration that failed.
 */
export async function migrate(
  db: Kysely<Schema>,
  migrations: Record<string, Migration> = shipped,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
