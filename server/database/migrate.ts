import { type Kysely, type Migration, Migrator } from 'kysely'
import { migrations as shipped } from './migrations/index.ts'
import type { Schema } from './schema.ts'

/**
 * Brings the tables up to date, all or nothing. Servers that start together take turns: Kysely's migrator holds an
 * advisory lock of the database meanwhile.
 */
export async function migrate(
  db: Kysely<Schema>,
  migrations: Record<string, Migration> = shipped,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
