import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

type Row = Record<string, unknown>
type Column = { table: string; name: string; type: string }

/**
 * The tables whose rows do not name an applicant, with the reason. The others are personal: an account has rows there.
 */
const impersonal: Partial<Record<keyof Schema, string>> = {
  secret: 'keys of the server',
  encryption: 'since when the tables are encrypted',
  server_epoch: 'a random word of the database',
  job: 'when each job ran',
  operator_record: 'no name of an applicant and no whole contact (D102); refuses changes',
  usage_count: 'counts by network and country code, and by keyed hash',
  used_captcha: 'hashes of puzzles',
  city: 'the same for everybody',
  office: 'the same for everybody',
  opening: 'the same for everybody',
  closed_day: 'the same for everybody',
  slot: 'the same for everybody',
  security_event: 'keyed hashes (D111), and refuses changes',
  job_hold: 'whether jobs wait after a restore',
  unknown_payment: 'payments that only a provider knows; no account here has one',
  past_applicant: 'hashes of ids (D133)',
  past_order: 'what stays for accounting; the tests read its rows',
}

/**
 * Columns that take no marker. Some allow few values only, as a state. Others have a contact or an id by which the server
 * finds the row; the test searches for the contacts and the ids of rows themselves.
 */
const unmarked = new Set([
  'applicant.language',
  'application.language',
  'application.state',
  'application.deletion_cause',
  'appointment.state',
  'challenge.kind',
  'challenge.value',
  'contact.kind',
  'contact.value',
  'contact_change.kind',
  'contact_change.value_after',
  'contact_change.value_before',
  'idempotency.scope',
  'outbox.channel',
  'outbox.delivery',
  'one_time_code.sent_to',
  'outbox.recipient',
  'payment.currency',
  'payment.method',
  'payment.order_id',
  'payment.status',
  'session.email',
  'session.msisdn',
  'session.proof_kind',
  'whitelist.kind',
  'whitelist.value',
])

/** Writes a marker into each text or JSON column of a personal table that takes one. Returns the markers. */
export async function markAllRows(db: Kysely<Schema>): Promise<string[]> {
  const columns = await listColumns(db)
  const marked = columns.filter(
    ({ table, name, type }) => ['text', 'jsonb'].includes(type) && !unmarked.has(`${table}.${name}`),
  )
  for (const { table, name, type } of marked) {
    const marker = markerOf(table, name)
    const column = sql.ref(name)
    const value =
      type === 'jsonb'
        ? sql`coalesce(${column}, '{}') || jsonb_build_object('marker', ${marker}::text)`
        : sql`coalesce(${column}, '') || ${marker} || md5(ctid::text)`
    await sql`update ${sql.table(table)} set ${column} = ${value}`.execute(db)
  }
  return marked.map(({ table, name }) => markerOf(table, name))
}

/** Returns the personal tables without a row: the account of a test must have one in each. */
export async function findEmptyTables(db: Kysely<Schema>): Promise<string[]> {
  const tables = new Set((await listColumns(db)).map(({ table }) => table))
  const empty = []
  for (const table of tables) if ((await readRows(db, table)).length === 0) empty.push(table)
  return empty
}

/** Hashes and keys are random characters: they may contain a shorter text by chance. */
const shortestSearched = 8

/**
 * Returns `table: text` for each text that occurs in any column of a table of the schema, also of an impersonal one.
 * Leaves out the table `encryption`, whose only text is random characters. @throws when a text has fewer characters than
 * `shortestSearched`.
 */
export async function findTexts(db: Kysely<Schema>, texts: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> 'encryption'`.execute(
    db,
  )
  const short = texts.filter(text => text.length < shortestSearched)
  if (short.length > 0) throw new Error(`Hashes contain such short texts by chance: ${short.join()}`)
  const found = []
  for (const { name } of tables) {
    const content = JSON.stringify(await readRows(db, name)).toLowerCase()
    found.push(...texts.filter(text => content.includes(text.toLowerCase())).map(text => `${name}: ${text}`))
  }
  return found
}

/** Returns the values of all uuid columns of the personal tables: the ids of an account's rows. */
export async function listIds(db: Kysely<Schema>): Promise<string[]> {
  const ids = new Set<string>()
  for (const { table, name } of (await listColumns(db)).filter(({ type }) => type === 'uuid'))
    for (const row of await readRows(db, table)) if (typeof row[name] === 'string') ids.add(row[name])
  return [...ids]
}

async function readRows(db: Kysely<Schema>, table: string): Promise<Row[]> {
  return (await sql<Row>`select * from ${sql.table(table)}`.execute(db)).rows
}

/** The columns of the personal tables. */
async function listColumns(db: Kysely<Schema>): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select table_name as table, column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%' order by 1, 2`.execute(db)
  return rows.filter(({ table }) => !(table in impersonal))
}

function markerOf(table: string, column: string): string {
  return `marker-${table}-${column}-end`
}
