import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type { PoolConfig } from 'pg'
import { BoundedPool, type PoolLoad } from './bounded-pool.ts'
import { columnValues } from './column-values.ts'
import { FolderLockedError, lockFolder, type HeldLock } from './folder-lock.ts'
import { createLocalListener, listenOnPostgresql, type Listen, paymentChannel } from './listener.ts'
import { PgliteSocket } from './pglite-socket.ts'
import { openPgliteFolder, openPgliteInMemory, type OpenPglite } from './pglite.ts'
import { PreparingClient, type PreparingClientConfig } from './preparing-client.ts'
import { freeBytesOf, probePglite, probePostgresql } from './probe.ts'
import type { Schema } from './schema.ts'
import { describeStatement, type EndedStatement } from './describe-statement.ts'

/**
 * `close` ends the connections of the pool and the embedded engine, and releases the lock of its folder. A listener of
 * PostgreSQL has its own connection, which only its `stop` ends.
 */
export type OpenDatabase = {
  db: Kysely<Schema>
  kind: 'pglite' | 'postgresql'
  /** Receives the notifications of all processes about payments. */
  listen: Listen
  /** How busy the connections of this process are. */
  load: () => PoolLoad
  /** Writes to the database. @throws when it cannot be reached or accepts no writes */
  probe: () => Promise<void>
  /** Runs work that may take long, such as a migration, without the time limits of `DatabaseLimits`. */
  withoutLimits: (run: (db: Kysely<Schema>) => Promise<void>) => Promise<void>
  close: () => Promise<void>
}

/**
 * Time limits, so that a frozen process or a slow statement does not stop the others. PostgreSQL applies them, except
 * `answerMs`, which this process applies.
 */
export type DatabaseLimits = {
  statementMs: number
  /** Longest wait for a row or a table that another transaction has locked. */
  lockMs: number
  /** Longest time in which a transaction waits for the next statement of its process. */
  idleInTransactionMs: number
  /** Longer than `statementMs`. Without an answer in this time the connection counts as cut, and is closed. */
  answerMs: number
}

export type DatabaseSettings = {
  /** Unset: PGlite in `<dataDir>/database`. `memory://`: PGlite without a folder. Else a PostgreSQL address. */
  databaseUrl?: string | undefined
  dataDir: string
  /**
   * Maximum number of pooled connections to PostgreSQL, 10 by default; `listen`, `probe` and `withoutLimits` open their
   * own. PGlite has one.
   */
  poolSize?: number | undefined
  /** How long a query waits for a connection before it fails; 10,000 by default. */
  timeoutMs?: number | undefined
  /** Unset: none. PGlite has none, because its only connection serves one transaction after the other. */
  limits?: DatabaseLimits | undefined
  /**
   * Called after each statement of `db`, in the same asynchronous context, so that a trace finds what ran it. Not
   * called for the statements that set a connection up.
   */
  onStatement?: ((statement: EndedStatement) => void) | undefined
  /** Called when a connection of the pool is lost. A query that runs on it fails; the pool opens a new connection. */
  onLostConnection?: ((error: Error) => void) | undefined
}

/**
 * Opens the database of the settings; the tables are not migrated. PostgreSQL is not contacted yet: the first statement
 * connects, and fails when PostgreSQL cannot be reached.
 *
 * @throws {FolderLockedError} when this or another process has the embedded database open.
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
    const probe = () => probePglite(database.db, () => freeBytesOf(folder))
    return { ...database, probe, close: () => closeThenRelease(database, lock) }
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
  const { db, load } = connectPool(settings, config, {
    setUp: [setUtc, `listen ${paymentChannel}`],
    onNotification: emit,
  })
  const close = async () => {
    await db.destroy()
    await pglite.close()
  }
  return {
    db,
    kind: 'pglite',
    listen,
    load,
    probe: () => probePglite(db),
    withoutLimits: run => run(db),
    close,
  }
}

function connectPostgresql(connectionString: string, settings: DatabaseSettings): OpenDatabase {
  const { limits, poolSize = 10 } = settings
  const config: PoolConfig & PreparingClientConfig & { max: number } = {
    connectionString,
    max: poolSize,
    // Finds a connection that was cut while no statement runs, within 20 s: TCP asks first after 10 s of silence, and then
    // once a second, ten times.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    answerTimeoutMs: limits?.answerMs,
  }
  const { db, load } = connectPool(settings, config, { setUp: [setUtc, ...limitStatements(limits)] })
  return {
    db,
    load,
    kind: 'postgresql',
    listen: listenOnPostgresql(connectionString),
    probe: () => probePostgresql(connectionString),
    async withoutLimits(run) {
      const unlimited = connectPostgresql(connectionString, { ...settings, limits: undefined, poolSize: 2 })
      try {
        await run(unlimited.db)
      } finally {
        await unlimited.close()
      }
    },
    close: () => db.destroy(),
  }
}

/** As statements and not as parameters of the connection, because PgBouncer refuses unknown parameters. */
function limitStatements(limits: DatabaseLimits | undefined): string[] {
  if (limits === undefined) return []
  return [
    `set statement_timeout = ${limits.statementMs}`,
    `set lock_timeout = ${limits.lockMs}`,
    `set idle_in_transaction_session_timeout = ${limits.idleInTransactionMs}`,
  ]
}

// UTC, so that casts to `date` give the same day on every server.
const setUtc = `set time zone 'UTC'`

type PoolOptions = {
  /** Statements that each new connection of the pool runs first. */
  setUp: readonly string[]
  onNotification?: (payload: string) => void
}

function connectPool(
  settings: DatabaseSettings,
  config: PoolConfig & { max: number },
  { setUp, onNotification }: PoolOptions,
): Pick<OpenDatabase, 'db' | 'load'> {
  const pool = new BoundedPool({
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
  const { onStatement } = settings
  const db = new Kysely<Schema>({
    ...(onStatement && { log: event => onStatement(describeStatement(event)) }),
    dialect: new PostgresDialect({
      pool,
      async onCreateConnection(connection) {
        for (const statement of setUp) await connection.executeQuery(CompiledQuery.raw(statement))
      },
    }),
  })
  return { db, load: () => pool.load() }
}
