import { type Kysely, sql } from 'kysely'
import { listTables } from '#server/database/copy-database.ts'
import type { Schema } from '#server/database/schema.ts'

/** Every row of the tables as PostgreSQL's text of a row, without the tables in which Kysely records the migrations. */
export async function dumpRows(db: Kysely<Schema>): Promise<string> {
  const texts: string[] = []
  for (const table of await listTables(db)) {
    const { rows } = await sql<{
      row: string
    }>`select each::text as row from ${sql.table(table)} as each`.execute(db)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}
