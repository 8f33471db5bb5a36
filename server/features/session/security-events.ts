import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  type AccountEvent,
  accountEventKinds,
  type ContactKind,
  type DailyEventKind,
  dailyEventKinds,
  refusalEventKinds,
  type SecurityEventKind,
} from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import type { Schema } from '#server/database/schema.ts'
import { networksOf } from '#server/calls/networks.ts'

export const securityEventKinds: readonly SecurityEventKind[] = [
  ...accountEventKinds,
  ...refusalEventKinds,
  ...dailyEventKinds,
]

/**
 * Whom an event is about: an applicant; the contact that a caller typed, whether or not an account has it; or unknown.
 */
export type EventSubject = { applicantId: string } | { kind: ContactKind; value: string } | 'unknown'

/** The keyed hash that stands for a subject, so that the table names no person; '' for `unknown`. */
export function subjectOf({ secrets }: Pick<Services, 'secrets'>, subject: EventSubject): string {
  if (subject === 'unknown') return ''
  return 'applicantId' in subject
    ? keyedHash(secrets.codeKey, 'event of applicant', subject.applicantId)
    : keyedHash(secrets.codeKey, 'event of contact', subject.kind, subject.value)
}

/**
 * Adds a row, in the transaction of its cause if there is one. The row gets keyed hashes of the near and the wide
 * network of the `address` (`networksOf`), which names no network for the local machine in the demo. A command has no
 * `address`.
 */
export async function recordEvent(
  db: Kysely<Schema>,
  services: Pick<Services, 'secrets' | 'config'>,
  event: { kind: SecurityEventKind; subject: EventSubject; address?: string },
): Promise<void> {
  await db.insertInto('security_event').values(rowOf(services, event)).execute()
}

/** Adds a row unless there is one of this kind and subject on this day in UTC; the index of the table decides (D126). */
export async function recordDailyEvent(
  db: Kysely<Schema>,
  services: Pick<Services, 'secrets' | 'config'>,
  event: { kind: DailyEventKind; subject: EventSubject; address: string },
): Promise<void> {
  await db
    .insertInto('security_event')
    .values(rowOf(services, event))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/**
 * Adds a row, once a day, if one of the ids is of an object that another applicant has (D126). One statement, which is
 * the same for missing objects: what the server does after its answer must not tell a missing object from one of another
 * applicant either (D12).
 */
export async function recordObjectOfAnother(
  db: Kysely<Schema>,
  services: Pick<Services, 'secrets' | 'config'>,
  { applicantId, ids, address }: { applicantId: string; ids: readonly string[]; address: string },
): Promise<void> {
  const row = rowOf(services, { kind: 'object-refused', subject: { applicantId }, address })
  const isOfAnother = sql<boolean>`exists (
      select from application where id = any (${ids}::uuid[]) and applicant_id <> ${applicantId}
    ) or exists (
      select from payment join application on application.id = application_id
      where payment.id = any (${ids}::uuid[]) and applicant_id <> ${applicantId}
    ) or exists (
      select from appointment join application on application.id = application_id
      where appointment.id = any (${ids}::uuid[]) and applicant_id <> ${applicantId}
    ) or exists (
      select from session where id = any (${ids}::uuid[]) and applicant_id <> ${applicantId}
    )`
  await db
    .insertInto('security_event')
    .columns(['kind', 'subject', 'near', 'wide'])
    .expression(sql`select ${row.kind}, ${row.subject}, ${row.near}, ${row.wide} where ${isOfAnother}`)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

function rowOf(
  services: Pick<Services, 'secrets' | 'config'>,
  { kind, subject, address }: { kind: SecurityEventKind; subject: EventSubject; address?: string },
) {
  const networks = address === undefined ? undefined : networksOf(services, address)
  return {
    kind,
    subject: subjectOf(services, subject),
    near: networks?.near ?? '',
    wide: networks?.wide ?? '',
  }
}

const maxShownEvents = 20

/** The code by which an account gets a contact is sent, and its events are written, less than an hour before (D98). */
export const timeBeforeProof = sql`interval '1 hour'`

/** A contact of an account, and since when the account has it. */
export type EventContact = { kind: ContactKind; value: string; proven_at: Date }

/**
 * SQL: the events that an applicant may see, of the account and of its contacts since the account has each: another
 * person may have had a contact before (D98).
 */
export function isEventOf(
  services: Pick<Services, 'secrets'>,
  applicantId: string,
  contacts: readonly EventContact[],
): RawBuilder<boolean> {
  const ofContacts = contacts.map(
    ({ kind, value, proven_at }) =>
      sql`(subject = ${subjectOf(services, { kind, value })} and at >= ${proven_at}::timestamptz - ${timeBeforeProof})`,
  )
  const subjects = [sql`subject = ${subjectOf(services, { applicantId })}`, ...ofContacts]
  return sql<boolean>`(${sql.join(subjects, sql` or `)}) and kind = any (${[...accountEventKinds]}::text[])`
}

/** The 20 newest events of an applicant and of the contacts that the applicant has now, the newest first. */
export async function listAccountEvents(
  services: Services,
  applicantId: string,
  contacts: readonly EventContact[],
): Promise<AccountEvent[]> {
  const { rows } = await sql<{ at: Date; kind: AccountEvent['kind'] }>`
    select at, kind from security_event where ${isEventOf(services, applicantId, contacts)}
    order by id desc limit ${sql.lit(maxShownEvents)}`.execute(services.db)
  return rows.map(({ at, kind }) => ({ at: at.toISOString(), kind }))
}
