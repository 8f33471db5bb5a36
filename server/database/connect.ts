import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import { columnValues } from './column-values.ts'
import { FolderLockedError, lockFolder, type HeldLock } from './folder-lock.ts'
import { createLocalListener, listenOnPostgresql, type Listen, paymentChannel } from './listener.ts'
import { PgliteSocket } from './pglite-socket.ts'
import { openPgliteFolder, openPgliteInMemory, type OpenPglite } from './pglite.ts'
import { PreparingClient } from './preparing-client.ts'
import type { Schema } from './schema.ts'

/**
 * `close` ends the connections of the pool and, for a folder, releases its lock. A listener of PostgreSQL has its own
 * connection, which only its `stop` ends.
 */
export type OpenDatabase = {
  db: Kysely<Schema>
  kind: 'pglite' | 'postgresql'
  /** Receives the notifications of all processes about payments. */
  listen: Listen
  close: () => Promise<void>
}

export type DatabaseSettings = {
  /** Unset: PGlite in `<dataDir>/database`. `memory://`: PGlite without a folder. Else a PostgreSQL address. */
  databaseUrl?: string | undefined
  dataDir: string
  /** Maximum number of connections to PostgreSQL, 10 by default; PGlite has one. */
  poolSize?: number | undefined
  /** How long a query waits for a connection before it fails; 10,000 by default. */
  timeoutMs?: number | undefined
  /** Called when a connection is lost. A query that runs on it fails; the pool opens a new connection. */
  onLostConnection?: ((error: Error) => void) | undefined
}

/**
 * Opens the database of the settings; the tables are not migrated.
 *
 * @throws {FolderLockedError} when another process has the embedded database open.
 */
export async function connectDatabase(settings: DatabaseSettings): Promise<OpenDatabase> {
  if (settings.databaseUrl === undefined) return connectFolder(settings)
  if (settings.databaseUrl === 'memory://') return connectPglite(await openPgliteInMemory(), settings)
  return connectPostgresql(settings.databaseUrl, settings)
}

async function connectFolder(settings: DatabaseSettings): Promise<OpenDatabase> {
  mkdirSync(settings.dataDir, { recursive: true })
  const folder = join(settings.dataDir, 'database')
  const lock = await lockFolder(settings.dataDir)
  if (lock.kind === 'taken') throw new FolderLockedError(folder)
  try {
    const database = connectPglite(await openPgliteFolder(folder), settings)
    return { ...database, close: () => closeThenRelease(database, lock) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function closeThenRelease(database: OpenDatabase, lock: HeldLock): Promise<void> {
  try {
    await database.close()
  } finally {
    await lock.release()
  }
}

/** Connects to an embedded engine, which has one session for the whole process. */
export function connectPglite(pglite: OpenPglite, settings: DatabaseSettings): OpenDatabase {
  const { listen, emit } = createLocalListener()
  const config = {
    max: 1,
    idleTimeoutMillis: 0,
    // Set explicitly, so that variables like PGHOST do not change the connection to the embedded engine.
    host: 'localhost',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    stream: () => new PgliteSocket(pglite.engine, pglite.fault),
  }
  const db = connectPool(settings, config, {
    setUp: [setUtc, `listen ${paymentChannel}`],
    onNotification: emit,
  })
  const close = async () => {
    await db.destroy()
    await pglite.close()
  }
  return { db, kind: 'pglite', listen, close }
}

function connectPostgresql(connectionString: string, settings: DatabaseSettings): OpenDatabase {
  const db = connectPool(settings, { connectionString, max: settings.poolSize ?? 10, keepAlive: true })
  const listen = listenOnPostgresql(connectionString)
  return { db, kind: 'postgresql', listen, close: () => db.destroy() }
}

// UTC, so that casts to `date` give the same day on every server.
const setUtc = `set time zone 'UTC'`

type PoolOptions = {
  /** Statements that each new connection runs first. */
  setUp: readonly string[]
  onNotification?: (payload: string) => void
}

function connectPool(
  settings: DatabaseSettings,
  config: PoolConfig,
  { setUp, onNotification }: PoolOptions = { setUp: [setUtc] },
): Kysely<Schema> {
  const pool = new Pool({
    // With one connection a query on `db` inside a transaction would wait forever: the timeout makes it an error.
    connectionTimeoutMillis: settings.timeoutMs ?? 10_000,
    types: columnValues,
    Client: PreparingClient,
    ...config,
  })
  // Without a listener an error event would end the process. The pool listens only to its idle clients, so each client
  // also has a listener for the time when a query uses it.
  pool.on('connect', client => client.on('error', error => settings.onLostConnection?.(error)))
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('notification', ({ payload }) => onNotification?.(payload ?? '')))
  return new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool,
      async onCreateConnection(connection) {
        for (const statement of setUp) await connection.executeQuery(CompiledQuery.raw(statement))
      },
    }),
  })
}
