import { CompiledQuery, type Kysely, Migrator, sql } from 'kysely'
import { connectDatabase } from './connect.ts'
import { migrations } from './migrations/index.ts'
import type { Schema } from './schema.ts'

type CopiedTable = { name: string; rows: number; checksum: string }
/**
 * `copied`: also in a dry run, which rolls the copy back. Nothing was copied when the target has any table, view or sequence
 * (`not-empty`), or when the role of the connection may not create tables there (`not-allowed`).
 */
export type Copy = { kind: 'copied'; tables: CopiedTable[] } | { kind: 'not-empty' } | { kind: 'not-allowed' }

type CopyRequest = {
  /**
   * A transaction of the embedded database: cursors and `set local` need one. No other process can write, because this
   * one holds the lock of the folder.
   */
  source: Kysely<Schema>
  targetUrl: string
  dryRun: boolean
  /** Runs on the complete copy, in its transaction, also in a dry run. */
  beforeCommit: (target: Kysely<Schema>) => Promise<void>
}

/**
 * Copies all tables and sequences into an empty PostgreSQL, in one transaction of the target: an error, a difference
 * or a lost connection leaves the target empty (D103).
 *
 * @throws when a table of the copy differs from its source.
 */
export async function copyDatabase(request: CopyRequest): Promise<Copy> {
  const database = await connectDatabase({ databaseUrl: request.targetUrl, dataDir: '', poolSize: 1 })
  try {
    return await database.db.connection().execute(async target => {
      await run(target, 'begin')
      const copy = await fill(target, request)
      await run(target, copy.kind === 'copied' && !request.dryRun ? 'commit' : 'rollback')
      return copy
    })
  } finally {
    await database.close() // ends the connection, and so a transaction that an error left open
  }
}

async function fill(target: Kysely<Schema>, { source, beforeCommit }: CopyRequest): Promise<Copy> {
  if ((await listRelations(target)).length > 0) return { kind: 'not-empty' }
  if (!(await mayCreateTables(target))) return { kind: 'not-allowed' }
  for (const db of [source, target]) for (const setting of textForms) await run(db, setting)
  await createTables(target)
  const foreignKeys = await dropForeignKeys(target)
  const names = await listTables(source)
  const tables: CopiedTable[] = []
  for (const name of names) {
    await copyRows(source, target, name)
    tables.push(await compare(source, target, name))
  }
  for (const addForeignKey of foreignKeys) await run(target, addForeignKey)
  await copySequences(source, target)
  await beforeCommit(target)
  return { kind: 'copied', tables }
}

/** Rows are copied as text, so both databases must write a value as the same text. */
const textForms = [
  `set local datestyle to 'ISO, YMD'`,
  `set local intervalstyle to 'postgres'`,
  `set local extra_float_digits to 1`,
  `set local bytea_output to 'hex'`,
]

/** Asked before the migrations: after a refusal Kysely sends one more statement, and reports only that this one failed. */
async function mayCreateTables(target: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_schema_privilege('public', 'create') as may`.execute(target)
  return rows[0]?.may === true
}

/** Runs all migrations inside the transaction of the copy; `migrate` would commit this transaction. */
async function createTables(target: Kysely<Schema>): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve(migrations) }
  const { error } = await new Migrator({ db: target, provider, disableTransactions: true }).migrateToLatest()
  if (error !== undefined) throw error
}

/** Drops the foreign keys, because tables and rows refer to each other. Returns the statements that add them again. */
async function dropForeignKeys(target: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ drop: string; add: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by oid`.execute(
    target,
  )
  for (const { drop } of rows) await run(target, drop)
  return rows.map(({ add }) => add)
}

const batchRows = 500

/** Copies each row as the text of its record: a value of any type of PostgreSQL stays exact. Triggers do not run. */
async function copyRows(source: Kysely<Schema>, target: Kysely<Schema>, name: string): Promise<void> {
  const table = sql.table(name)
  await sql`alter table ${table} disable trigger user`.execute(target)
  await sql`delete from ${table}`.execute(target) // a migration may have inserted rows, which the source has too
  await sql`declare copied no scroll cursor for select each::text as row from ${table} as each`.execute(
    source,
  )
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(batchRows)} from copied`.execute(source)
    if (rows.length === 0) break
    await sql`
      insert into ${table} overriding system value
      select (parsed.record).* from (
        select given::${table} as record from unnest(${rows.map(({ row }) => row)}::text[]) as given offset 0
      ) as parsed`.execute(target)
  }
  await run(source, 'close copied')
  await sql`alter table ${table} enable trigger user`.execute(target)
}

async function compare(source: Kysely<Schema>, target: Kysely<Schema>, name: string): Promise<CopiedTable> {
  const [given, copied] = [await countAndChecksum(source, name), await countAndChecksum(target, name)]
  if (given.rows !== copied.rows)
    throw new Error(`The copy of ${name} differs: ${given.rows} rows were read, ${copied.rows} were written.`)
  if (given.checksum !== copied.checksum)
    throw new Error(`The copy of ${name} differs: it has all ${given.rows} rows, but another checksum.`)
  return { name, ...given }
}

/**
 * Returns the number of rows of a table, and a checksum of the rows as text, which depends on neither the order of the rows
 * nor the collation. Two databases give the same checksum only with the same `textForms`.
 */
export async function countAndChecksum(
  db: Kysely<Schema>,
  name: string,
): Promise<{ rows: number; checksum: string }> {
  const { rows } = await sql<{ rows: number; checksum: string }>`
    select count(*) as rows, md5(coalesce(string_agg(sum, '' order by sum collate "C"), '')) as checksum
    from (select md5(each::text) as sum from ${sql.table(name)} as each) as sums`.execute(db)
  return rows[0] ?? { rows: 0, checksum: '' }
}

/** Returns the names of the product's tables, without the two tables of Kysely's migrator, which fills them itself. */
export async function listTables(db: Kysely<Schema>): Promise<string[]> {
  const relations = await listRelations(db)
  return relations
    .filter(({ kind, name }) => kind === 'r' && !name.startsWith('kysely_'))
    .map(each => each.name)
}

async function listRelations(db: Kysely<Schema>): Promise<{ name: string; kind: string }[]> {
  const { rows } = await sql<{ name: string; kind: string }>`
    select relname::text as name, relkind::text as kind from pg_class
    where relnamespace = 'public'::regnamespace order by relname`.execute(db)
  return rows
}

async function copySequences(source: Kysely<Schema>, target: Kysely<Schema>): Promise<void> {
  for (const { name, kind } of await listRelations(source)) {
    if (kind !== 'S') continue
    const { rows } = await sql<{ last: string; called: boolean }>`
      select last_value::text as last, is_called as called from ${sql.table(name)}`.execute(source)
    for (const { last, called } of rows)
      await sql`select setval(${name}::regclass, ${last}::bigint, ${called})`.execute(target)
  }
}

async function run(db: Kysely<Schema>, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}
