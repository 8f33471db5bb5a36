import { type Kysely, sql } from 'kysely'
import { dormantMinutes, dormantMonths } from '#contract/dormant.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { repeatSeconds } from './code-check-rule.ts'
import type { Contact } from './contact.ts'
import { readStoredContact, verifiedKind } from './other-contact.ts'

/** Returns the account of a contact when a code to this contact alone must not open it (D122). Locks the contact. */
export async function findDormant(
  trx: Kysely<Schema>,
  contact: Pick<Contact, 'kind' | 'value'>,
): Promise<string | undefined> {
  const found = await trx
    .selectFrom('contact')
    .select('applicant_id')
    .select(
      sql<boolean>`(last_proven_at at time zone 'UTC') + make_interval(months => ${dormantMonths})
        < now() at time zone 'UTC'`.as('isDormant'),
    )
    .where('kind', '=', contact.kind)
    .where(columnIsContact('value', contact.value))
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found?.isDormant ? found.applicant_id : undefined
}

/**
 * Returns the ticket that names the question that a code has opened. The applicant answers this question with the number and date
 * of birth of an application, or with a code to the other contact, or starts with a new account. The same code gets the same
 * ticket, because the response of the server may be lost.
 */
export function dormantTicket({ secrets }: Pick<Services, 'secrets'>, codeId: number): string {
  return keyedHash(secrets.codeKey, 'dormant account', String(codeId))
}

/** Stores that the right code has opened a question instead of a session. The calling function has used the code up. */
export async function openDormantQuestion(
  trx: Kysely<Schema>,
  services: Pick<Services, 'secrets'>,
  { codeId, applicantId }: { codeId: number; applicantId: string },
): Promise<void> {
  await trx
    .updateTable('one_time_code')
    .set({ dormant_applicant: applicantId, ticket_hash: plainHash(dormantTicket(services, codeId)) })
    .where('id', '=', codeId)
    .execute()
}

/**
 * `contact`: the one that the code has verified. `openedTokenHash`: the hash of the first refresh token of the session that the
 * applicant's answer has opened; null before.
 */
export type StoredQuestion = {
  codeId: number
  applicantId: string
  contact: Contact
  openedTokenHash: string | null
}

/**
 * Finds the question of a ticket, in the browser that entered the code. Undefined when there is none, when its contact
 * is no longer valid, or when it has expired: `dormantMinutes` after the use of the code. A question that was answered
 * is found for `repeatSeconds` longer, because the response of the server may be lost. With `lock`, calls at the same
 * time wait for each other.
 */
export async function findDormantQuestion(
  db: Kysely<Schema>,
  { ticket, browser }: { ticket: string; browser: string },
  { lock = false } = {},
): Promise<StoredQuestion | undefined> {
  const found = await db
    .selectFrom('one_time_code')
    .innerJoin('challenge', 'challenge.id', 'one_time_code.challenge_id')
    .select(['one_time_code.id', 'dormant_applicant', 'opened_token', 'sent_to', 'kind', 'value'])
    .where('ticket_hash', '=', plainHash(ticket))
    .where('browser_hash', '=', plainHash(browser))
    .where('used_at', '>', sql<Date>`now() - make_interval(secs => ${dormantMinutes * 60 + repeatSeconds})`)
    .where(code =>
      code.or([
        code('opened_token', 'is not', null),
        code('used_at', '>', sql<Date>`now() - make_interval(mins => ${dormantMinutes})`),
      ]),
    )
    .$if(lock, query => query.forUpdate('one_time_code'))
    .executeTakeFirst()
  if (!found || found.dormant_applicant === null) return undefined
  const contact = readStoredContact({ kind: verifiedKind(found), value: found.sent_to ?? found.value })
  return (
    contact && {
      codeId: found.id,
      applicantId: found.dormant_applicant,
      contact,
      openedTokenHash: found.opened_token,
    }
  )
}
