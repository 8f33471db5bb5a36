import { type Kysely, type RawBuilder, sql } from 'kysely'
import * as z from 'zod/mini'
import { mapInBatches } from '#server/calls/in-batches.ts'
import { columnIsContact, storedContactsLower } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { formContacts } from '#server/features/applications/own-application.ts'
import { decryptAnswers, decryptComplete, decryptForm } from '#server/features/applications/stored-form.ts'
import { decryptMessage } from '#server/features/messages/stored-message.ts'
import { isEventOf, timeBeforeProof } from '#server/features/session/security-events.ts'
import { decryptPhone } from '#server/features/payments/payer-phone.ts'
import { listContacts, type OwnContact } from './contact-rows.ts'

/** The rows of one account, by table, without the tables and columns that this file leaves out. `madeAt`: an ISO text. */
export type MyData = { madeAt: string; tables: Record<ExportedTable, Record<string, unknown>[]> }

export type ExportedTable = keyof typeof exported

/** The ids and contacts of one account, by which its rows are selected. */
type Account = {
  id: string
  applications: RawBuilder<unknown>
  contacts: readonly OwnContact[]
  /** The contacts in the forms of the account, in lower case. Not all of them are proven by a code. */
  formContacts: string[]
  /** The SQL condition for the security events, which name the account and its contacts by keyed hashes. */
  events: RawBuilder<unknown>
}

/** `where`: the rows of the account. `without`: columns that are left out, each with the reason. */
type ExportRule = { where: (account: Account) => RawBuilder<unknown>; without: Record<string, string> }

const ofApplicant = ({ id }: Account) => sql`applicant_id = ${id}`
const ofApplication = ({ applications }: Account) => sql`application_id in (${applications})`
const ofContacts = (account: Account) =>
  anyContact(account, ({ kind, value }) => sql`kind = ${kind} and ${columnIsContact('value', value)}`)
/** The challenges of a contact since the account has it: another person may have had the contact before. */
const challengesOf = (account: Account) =>
  anyContact(
    account,
    contact => sql`challenge.kind = ${contact.kind} and ${columnIsContact('challenge.value', contact.value)}
      and coalesce(challenge.proven_at, challenge.created_at) >= ${firstTimeOf(contact)}`,
  )

/**
 * SQL: whether the condition is true for one of the contacts. The SQL names each contact, because two tables may have a
 * contact under different keys while `DATA_KEY` changes (D71): a join would not find it.
 */
function anyContact(
  { contacts }: Account,
  condition: (contact: OwnContact) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const conditions = contacts.map(contact => sql`(${condition(contact)})`)
  return sql`(${sql.join([sql`false`, ...conditions], sql` or `)})`
}

/** SQL: the time from which rows about a contact are of this account. */
function firstTimeOf({ proven_at: provenAt }: OwnContact): RawBuilder<unknown> {
  return sql`${provenAt}::timestamptz - ${timeBeforeProof}`
}

/** All columns that `without` does not name are exported, so a new column is exported without a change here. */
const exported = {
  applicant: { where: ({ id }) => sql`id = ${id}`, without: {} },
  contact: { where: ofApplicant, without: {} },
  session: { where: ofApplicant, without: {} },
  contact_change: { where: ofApplicant, without: { undo_hash: 'hash of a code that can still be valid' } },
  challenge: { where: challengesOf, without: { browser_hash: 'hash of a cookie that known browsers have' } },
  one_time_code: {
    where: account => sql`challenge_id in (select id from challenge where ${challengesOf(account)})`,
    without: {
      code_hash: 'hash of a code that can still be valid',
      opened_token: 'hash of a token that can still be valid',
      ticket_hash: 'hash of a ticket that can still be valid',
      network: 'keyed hash of a network, which may be that of another person',
      sent_to: 'the other contact of the account that had the contact then; it may be of another person',
      dormant_applicant: 'the account that had the contact before; it may be of another person',
    },
  },
  application: { where: ofApplicant, without: {} },
  appointment: { where: ofApplication, without: {} },
  watch: { where: ofApplication, without: {} },
  payment: {
    where: ofApplication,
    without: {
      return_id: 'key of an address that opens without a session',
      phone_hash: 'keyed hash of the number, which the table has',
    },
  },
  payment_event: {
    where: account => sql`payment_id in (select id from payment where ${ofApplication(account)})`,
    without: {},
  },
  whitelist: { where: ofContacts, without: {} },
  security_event: {
    where: ({ events }) => events,
    without: {
      subject: 'keyed hash of the account or the contact, for operators',
      near: 'keyed hash of a network, which may be that of another person',
      wide: 'keyed hash of a network, which may be that of another person',
    },
  },
  outbox: { where: messagesOf, without: { key: 'internal', claimed_until: 'internal' } },
} as const satisfies Partial<Record<keyof Schema, ExportRule>>

/** The tables that are not exported, with the reason. A table that is in neither list does not compile. */
export const notExported = {
  secret: 'keys of the server',
  encryption: 'since when the tables are encrypted',
  server_epoch: 'a random word of the database',
  job: 'when each job of the server is due',
  operator_record: 'the record of what operators did, for audits; it names no contact in full',
  job_hold: 'whether the jobs are held after a restore',
  unknown_payment: 'payments that only a provider knows; they name no applicant',
  usage_count: 'counts by network, country code and keyed hash, which name no applicant',
  used_captcha: 'hashes of solved puzzles, which name no applicant',
  receipt_ticket: 'hashes of tickets that can still be valid, each for a minute',
  refresh_token: 'hashes of tokens that can still be valid; the table session has their times',
  city: 'the same for everybody',
  office: 'the same for everybody',
  opening: 'the same for everybody',
  closed_day: 'the same for everybody',
  slot: 'the same for everybody',
  place: 'the seat of an appointment; the table appointment has its office and time',
  past_applicant: 'hashes of the ids of deleted accounts',
  past_order: 'orders of deleted accounts and applications, which name no applicant',
  card_page: 'a one-use form of the bank, deleted a day after its expiry; the table payment has its order',
  idempotency: 'copies of answers for seven days; the other tables have their content',
} as const satisfies Record<Exclude<keyof Schema, ExportedTable>, string>

export const exportedTables = Object.keys(exported).filter(isExported)

/** The columns of a table that are left out, with the reason. */
export function columnsWithout(table: ExportedTable): Record<string, string> {
  return exported[table].without
}

/** Reads all rows in one transaction, so that they belong together. */
export async function readMyData(services: Services, applicantId: string): Promise<MyData> {
  const now = services.clock.now()
  return services.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async trx => {
      const forms = await trx
        .selectFrom('application')
        .select(['id', 'data'])
        .where('applicant_id', '=', applicantId)
        .execute()
      const contacts = await listContacts(trx, applicantId)
      const account: Account = {
        id: applicantId,
        contacts,
        events: isEventOf(services, applicantId, contacts),
        applications: sql`select id from application where applicant_id = ${applicantId}`,
        formContacts: forms
          .flatMap(form => Object.values(formContacts(decryptForm(services, form))))
          .filter(Boolean)
          .map(contact => contact.toLowerCase()),
      }
      const tables: Partial<MyData['tables']> = {}
      for (const table of exportedTables)
        tables[table] = await mapInBatches(await readTable(trx, table, account), row =>
          hideSecrets(table, leaveOut(table, decryptRow(services, table, row))),
        )
      // The loop has set every table of the list.
      return { madeAt: now.toISOString(), tables: tables as MyData['tables'] }
    })
}

/** Returns a row with its encrypted columns decrypted. */
function decryptRow(
  services: Services,
  table: ExportedTable,
  row: Record<string, unknown>,
): Record<string, unknown> {
  if (table === 'application') {
    const columns = AnswerColumns.parse(row)
    const { values, additionalData } = decryptAnswers(services, columns)
    const complete = decryptComplete(services, columns)
    return { ...row, data: { ...values, ...(complete && { complete }) }, additional_data: additionalData }
  }
  if (table === 'outbox') return { ...row, message: decryptMessage(services, MessageColumns.parse(row)) }
  return table === 'payment' ? { ...row, phone: decryptPhone(services, PhoneColumns.parse(row)) } : row
}

const AnswerColumns = z.object({
  id: z.string(),
  data: z.record(z.string(), z.unknown()),
  additional_data: z.string(),
})
const PhoneColumns = z.object({ order_id: z.string(), phone: z.string() })
const MessageColumns = z.object({ key: z.string(), message: z.record(z.string(), z.unknown()) })

async function readTable(
  trx: Kysely<Schema>,
  table: ExportedTable,
  account: Account,
): Promise<Record<string, unknown>[]> {
  const { where }: ExportRule = exported[table]
  const { rows } = await sql<Record<string, unknown>>`
    /* Not prepared, because a migration can change the columns. */
    select * from ${sql.table(table)} where ${where(account)} order by 1`.execute(trx)
  return rows
}

/** Removes the columns of `without`. Runs after `decryptRow`, which needs the key of a message to decrypt it. */
function leaveOut(table: ExportedTable, row: Record<string, unknown>): Record<string, unknown> {
  const { without }: ExportRule = exported[table]
  return Object.fromEntries(Object.entries(row).filter(([column]) => !Object.hasOwn(without, column)))
}

/**
 * Writes the data as JSON, in batches of rows, so that an account with many rows does not block the main thread (D121).
 */
export async function writeMyData({ madeAt, tables }: MyData): Promise<string> {
  const written: string[] = []
  for (const table of exportedTables) {
    const rows = await mapInBatches(tables[table], row => JSON.stringify(row, undefined, 2))
    written.push(`${JSON.stringify(table)}: [${rows.join(', ')}]`)
  }
  return `{ "madeAt": ${JSON.stringify(madeAt)}, "tables": { ${written.join(',\n')} } }`
}

/**
 * Selects the messages that are stored with the account, the messages without an account, such as codes, to a contact
 * since the account has it, and the messages about its applications to the contacts of a form. A contact of a form may
 * be another person's, so other messages to it may belong to another account. The first condition lets PostgreSQL use
 * an index.
 */
function messagesOf(account: Account): RawBuilder<unknown> {
  const { id, applications, contacts, formContacts: named } = account
  const proven = contacts.map(({ value }) => value.toLowerCase())
  const ofContact = anyContact(
    account,
    contact => sql`lower(outbox.recipient) = any(${storedContactsLower(contact.value.toLowerCase())})
      and outbox.applicant_id is null and outbox.created_at >= ${firstTimeOf(contact)}`,
  )
  return sql`(applicant_id = ${id} or lower(outbox.recipient) = any(${storedContactsLower(...proven, ...named)})) and (
    outbox.applicant_id = ${id} or ${ofContact}
    or (lower(outbox.recipient) = any(${storedContactsLower(...named)}) and exists (
      select 1 from (${applications}
        union select id from appointment where application_id in (${applications})
        union select id from watch where application_id in (${applications})
        union select id from payment where application_id in (${applications})) as own (id)
      where position(own.id::text in outbox.key) > 0)))`
}

/**
 * A session that was left open must not read the code of a message, because a code changes contacts (D70). Not even its
 * hash is exported: six digits are quickly guessed.
 */
function hideSecrets(table: ExportedTable, row: Record<string, unknown>): Record<string, unknown> {
  if (table !== 'outbox' || (row['kind'] !== 'otp' && row['kind'] !== 'security')) return row
  return { ...row, message: null }
}

function isExported(name: string): name is ExportedTable {
  return name in exported
}
