import { Client } from 'pg'

/** The PostgreSQL that all test files of a run share. `url`: the URL of its database `postgres`. */
export type SharedPostgresql =
  | { kind: 'running'; url: string; label: string }
  | { kind: 'absent'; reason: string }

declare module 'vitest' {
  export interface ProvidedContext {
    /** Only in the projects that have postgresql-global.ts as `globalSetup`. */
    postgresql: SharedPostgresql
  }
}

/** Returns the URL of another database on the same server. */
export function databaseUrlOf({ url }: { url: string }, name: string): string {
  return url.replace('/postgres?', `/${name}?`)
}

/** Runs one statement, such as `create database`, on its own connection. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
