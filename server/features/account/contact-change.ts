import { type Kysely, sql } from 'kysely'
import { type ContactKind, undoHours } from '#contract/account.ts'
import type { Language } from '#contract/codes.ts'
import { contactValueOrNull } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { randomLetters } from '#server/crypto/random-letters.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { OwnContact } from './contact-rows.ts'

/** `before`: the contacts before the change. `added` is the value of the new contact; undefined for a removal. */
export type ContactChange = {
  applicantId: string
  kind: ContactKind
  before: OwnContact[]
  added: string | undefined
  language: Language
  /** The removed contact has another holder now, who gets no message and cannot undo the change (D122). */
  isReleased?: boolean
}

/**
 * Stores a change of contacts and notifies every contact, the removed one too. Some of them can undo the change (D70).
 */
export async function recordChange(
  trx: Kysely<Schema>,
  services: Services,
  change: ContactChange,
): Promise<void> {
  const { applicantId, kind, before, added, language, isReleased = false } = change
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
  })
  const t = translateTo(language)
  const what = t(`contactChange.sms.${added === undefined ? 'removed' : 'added'}.${kind}`)
  const undo = t('contactChange.sms.undo', { link: `${services.config.publicOrigin}/undo#${code}` })
  const own = isReleased ? before.filter(contact => contact !== removed) : before
  const notified = [...own, ...(added === undefined ? [] : [{ kind, value: added }])]
  const isAnswer = removed !== undefined && (await answersUndone(trx, applicantId, removed.value))
  const mayUndo = whoMayUndo(own).filter(contact => !(isAnswer && contact === removed))
  for (const contact of notified) {
    const hasCode = mayUndo.some(each => each.value === contact.value)
    const text = `${what} ${hasCode ? undo : t('contactChange.sms.contact')}`
    await notify(trx, contact, {
      applicantId,
      key: `contact-change:${id}:${contact.kind}`,
      text,
      language,
      ...(hasCode && { uselessAfterSeconds: undoHours * 3_600 }),
    })
  }
}

/**
 * Whether a removal is the owner's answer to a change that was undone lately: then the removed contact may be a
 * thief's. A contact that an undo gave back is the owner's, and can undo its next removal too.
 */
async function answersUndone(trx: Kysely<Schema>, applicantId: string, removed: string): Promise<boolean> {
  const undone = await trx
    .selectFrom('contact_change')
    .select('value_before')
    .where('applicant_id', '=', applicantId)
    .where('undone_at', '>', sql<Date>`now() - make_interval(hours => ${undoHours})`)
    .execute()
  return undone.length > 0 && undone.every(change => change.value_before !== removed)
}

type Notice = {
  applicantId: string
  key: string
  text: string
  language: Language
  /** That of a changed contact by default. */
  subject?: string
  uselessAfterSeconds?: number
}

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

/** Returns the keyed hash of a typed undo code. Accepts small letters, and O, I and L for the digits 0, 1 and 1. */
export function hashUndoCode({ secrets }: Services, typed: string): string {
  const code = typed
    .toUpperCase()
    .replaceAll(/[^\dA-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  return keyedHash(secrets.codeKey, 'undo', code)
}

/**
 * The contacts whose message has the code: those that are older than any change that can still be undone, or the oldest
 * one. A thief who has just added a contact cannot undo its removal.
 */
function whoMayUndo(before: OwnContact[]): OwnContact[] {
  const established = before.filter(contact => contact.isEstablished)
  return established.length > 0 ? established : before.slice(0, 1)
}

/** Returns 12 random characters (60 bits) in three groups, as ABCD-EFGH-JKMN. */
function makeUndoCode(): string {
  return randomLetters(12).replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}
