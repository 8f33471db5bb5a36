import { type Kysely, sql } from 'kysely'
import { type ContactKind, undoHours } from '#contract/account.ts'
import type { Language } from '#contract/codes.ts'
import { contactValueOrNull } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { randomCharacters } from '#server/crypto/random-characters.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { answersUndone, listNotices, normaliseUndoCode } from './contact-rule.ts'
import type { OwnContact } from './contact-rows.ts'

/**
 * `before`: the contacts before the change. `added` is the value of the new contact, of a kind that the account did not have;
 * undefined for a removal.
 */
export type ContactChange = {
  applicantId: string
  kind: ContactKind
  before: OwnContact[]
  added: string | undefined
  language: Language
  /** The client's IP address. */
  address: string
  /** The removed contact has another holder now, who gets no message and cannot undo the change (D122). */
  isReleased?: boolean
}

/**
 * Stores a change of contacts that the caller has made, and notifies the contacts before and after it (`listNotices`). Some
 * of them can undo the change (D70).
 */
export async function recordChange(
  trx: Kysely<Schema>,
  services: Services,
  change: ContactChange,
): Promise<void> {
  const { applicantId, kind, before, added, language, address, isReleased = false } = change
  const removed = before.find(contact => contact.kind === kind)
  const code = makeUndoCode()
  const { id } = await trx
    .insertInto('contact_change')
    .values({
      applicant_id: applicantId,
      kind,
      value_before: contactValueOrNull(removed?.value ?? null),
      proven_before: removed?.proven_at ?? null,
      last_proven_before: removed?.last_proven_at ?? null,
      value_after: contactValueOrNull(added ?? null),
      undo_hash: hashUndoCode(services, code),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordEvent(trx, services, {
    kind: added === undefined ? 'contact-removed' : 'contact-added',
    subject: { applicantId },
    address,
  })
  const t = translateTo(language)
  // The texts are short enough for an SMS; an e-mail has the same text.
  const what = t(`contactChange.sms.${added === undefined ? 'removed' : 'added'}.${kind}`)
  const undo = t('contactChange.sms.undo', { link: `${services.config.publicOrigin}/undo#${code}` })
  // After the undo of a thief's change, the owner may remove the thief's contact: that contact must get no undo code.
  const isAnswerToUndo = answersUndone(await listUndone(trx, applicantId), removed?.value)
  const addedContact = added === undefined ? undefined : { kind, value: added }
  const notices = listNotices({ before, removed, added: addedContact, isReleased, isAnswerToUndo })
  for (const { contact, hasCode } of notices) {
    const text = `${what} ${hasCode ? undo : t('contactChange.sms.writeToService')}`
    await notify(trx, contact, {
      applicantId,
      key: `contact-change:${id}:${contact.kind}`,
      text,
      language,
      ...(hasCode && { uselessAfterSeconds: undoHours * 3_600 }),
    })
  }
}

/** Returns the changes that were undone lately. */
function listUndone(trx: Kysely<Schema>, applicantId: string): Promise<{ value_before: string | null }[]> {
  return trx
    .selectFrom('contact_change')
    .select('value_before')
    .where('applicant_id', '=', applicantId)
    .where('undone_at', '>', sql<Date>`now() - make_interval(hours => ${undoHours})`)
    .execute()
}

type Notice = {
  applicantId: string
  key: string
  text: string
  language: Language
  /** The subject of an e-mail. The default is the subject for a changed contact. */
  subject?: string
  uselessAfterSeconds?: number
}

/** Enqueues a message about the safety of the account for one contact, which may be one that was removed. */
export async function notify(
  trx: Kysely<Schema>,
  { kind, value }: Pick<OwnContact, 'kind' | 'value'>,
  { text, language, subject = translateTo(language)('contactChange.subject'), ...rest }: Notice,
): Promise<void> {
  await enqueue(trx, {
    ...rest,
    channel: kind === 'phone' ? 'sms' : 'email',
    kind: 'security',
    recipient: value,
    message: { subject, text },
  })
}

/** Returns the keyed hash of an undo code, however it is typed. */
export function hashUndoCode({ secrets }: Services, typed: string): string {
  return keyedHash(secrets.codeKey, 'undo', normaliseUndoCode(typed))
}

/** Returns 12 random characters (60 bits) in three groups, as ABCD-EFGH-JKMN. */
function makeUndoCode(): string {
  return randomCharacters(12).replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}
