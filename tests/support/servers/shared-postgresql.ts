import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

/**
 * The PostgreSQL that all test files of a run share. `url`: the URL of its database `postgres`. `reason`: the error with
 * which the tests that need a PostgreSQL fail.
 */
export type SharedPostgresql =
  | { kind: 'running'; url: string; label: string }
  | { kind: 'absent'; reason: string }

declare module 'vitest' {
  export interface ProvidedContext {
    /** Only in the projects that have postgresql-global.ts as `globalSetup`. */
    postgresql: SharedPostgresql
  }
}

/** Creates a copy of `template`, which must have no connections; by default an empty database. Returns its name and URL. */
export async function createDatabase(
  { url }: { url: string },
  template = 'template0',
): Promise<{ name: string; databaseUrl: string }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying the files takes half the CPU time of writing each page to the journal, which is the default.
  await runStatement(url, `create database ${name} template ${template} strategy file_copy`)
  return { name, databaseUrl: url.replace('/postgres?', `/${name}?`) }
}

/** Runs one statement, such as `create database`, on its own connection. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
