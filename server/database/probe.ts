import { statfs } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { Client, type QueryResult } from 'pg'
import type { Schema } from './schema.ts'

/** A probe whose connection or statement takes longer counts as failed. */
const probeTimeoutMs = 2_000

/** With less free space the probe fails, a little before the full disk stops the embedded database. */
const minFreeBytes = 50 * 1024 * 1024

/**
 * Writes a record of a few bytes into the write-ahead log, and nothing into a table. This fails when the log has no
 * space. `read_only` is 'on' when the database accepts no writes.
 */
const writeProbe = `select pg_logical_emit_message(true, 'passport-portal', 'ready'),
  current_setting('transaction_read_only') as read_only`

/**
 * `writeProbe` alone does not always notice a full disk: the write-ahead log may still have room in its existing files. So
 * the query first sorts more rows than fit into its memory: PostgreSQL writes a temporary file of about 200 kB and deletes
 * it. The probe changes no table.
 */
const diskProbe = `begin; set local work_mem = '64kB';
  select length(string_agg(filler, '' order by n)) as sorted
    from (select n, repeat('x', 100) as filler from generate_series(2000, 1, -1) n) as rows;
  ${writeProbe}; commit`

/**
 * Writes to PostgreSQL on a connection of its own, so that a full pool does not matter. The client measures the timeouts,
 * not PostgreSQL: PgBouncer refuses a connection that sets `statement_timeout` when it is opened.
 *
 * @throws when the database cannot be reached, accepts no writes, has no space on its disk, or when the connection or the
 *   statement takes longer than 2 s.
 */
export async function probePostgresql(connectionString: string): Promise<void> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    // For several statements the driver returns a list of results, which its types do not say.
    const results = (await client.query(diskProbe)) as unknown as QueryResult<{ read_only?: string }>[]
    const answers = results.flatMap(({ rows }) => rows)
    if (!answers.some(row => row.read_only === 'off')) throw new Error('The database accepts no writes.')
  } finally {
    client.end().catch(() => undefined)
  }
}

/**
 * Writes to the embedded database. `readFreeBytes`: of its disk; undefined for a database in memory.
 *
 * @throws when the disk is nearly full, or the database refuses the write or does not answer within 2 s.
 */
export async function probePglite(db: Kysely<Schema>, readFreeBytes?: () => Promise<number>): Promise<void> {
  if (readFreeBytes !== undefined && (await readFreeBytes()) < minFreeBytes)
    throw new Error('The disk of the database is nearly full.')
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('The database gave no answer.')), probeTimeoutMs).unref()
  })
  await Promise.race([sql.raw(writeProbe).execute(db), late])
}

/** Returns how many bytes this user may still write to the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
