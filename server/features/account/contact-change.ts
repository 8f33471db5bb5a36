import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { ContactKind, Schema } from '#server/database/schema.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
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
}

/** Stores a change of contacts and notifies every contact, the removed one too. Some of them can undo the change (D70). */
export async function recordChange(
  trx: Kysely<Schema>,
  services: Services,
  change: ContactChange,
): Promise<void> {
  const { applicantId, kind, before, added, language } = change
  const removed = before.find(contact => contact.kind === kind)
  const code = makeUndoCode()
  const { id } = await trx
    .insertInto('contact_change')
    .values({
      applicant_id: applicantId,
      kind,
      value_before: removed?.value ?? null,
      proven_before: removed?.proven_at ?? null,
      value_after: added ?? null,
      undo_hash: hashUndoCode(services, code),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const t = translateTo(language)
  const what = t(`contactChange.sms.${added === undefined ? 'removed' : 'added'}.${kind}`)
  const undo = t('contactChange.sms.undo', { link: `${services.config.publicOrigin}/undo#${code}` })
  const notified = [...before, ...(added === undefined ? [] : [{ kind, value: added }])]
  for (const contact of notified) {
    const mayUndo = whoMayUndo(before).some(each => each.value === contact.value)
    const text = `${what} ${mayUndo ? undo : t('contactChange.sms.contact')}`
    await notify(trx, contact, { key: `contact-change:${id}:${contact.kind}`, text, language })
  }
}

export async function notify(
  trx: Kysely<Schema>,
  { kind, value }: Pick<OwnContact, 'kind' | 'value'>,
  { key, text, language }: { key: string; text: string; language: Language },
): Promise<void> {
  await enqueue(trx, {
    key,
    channel: kind === 'phone' ? 'sms' : 'email',
    kind: 'security',
    recipient: value,
    message: { subject: translateTo(language)('contactChange.subject'), text },
  })
}

/** A code that was copied from a message; its letters may be small, and I, L and O stand for digits. */
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

/** The 32 digits and letters that nobody confuses, as in Crockford's base 32. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns 12 characters with 60 random bits, which nobody can guess in the time of an undo. */
function makeUndoCode(): string {
  const characters = [...randomBytes(12)].map(byte => alphabet[byte % alphabet.length]).join('')
  return characters.replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}
