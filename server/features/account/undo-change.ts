import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type UndoAnswer, undoHours } from '#contract/account.ts'
import type { Language } from '#contract/codes.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Call, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import { hashUndoCode, notify } from './contact-change.ts'
import { cancelDeletion } from './delete-account.ts'
import { hasContactsFromBefore, judgeRestore, judgeUndo } from './contact-rule.ts'
import {
  addContact,
  deleteContact,
  endSessions,
  hasApplications,
  listContacts,
  lockApplicants,
  lockContactAndFindOwner,
  moveContact,
  type OwnContact,
} from './contact-rows.ts'

/**
 * Makes the contacts of an account those from before a change, and ends all its sessions. Later changes are undone as
 * well, because one person may have made them all. A removed contact is not given back if another account has it now and
 * has applications; the answer says so. A repeated call changes nothing. It gets the same answer when nothing was changed
 * since, and `code-expired` when a later change is not undone.
 */
export async function undoContactChange(
  services: Services,
  { body, language, transport: { address } }: Call<'undoContactChange'>,
): Promise<{ data: UndoAnswer } | Refusal> {
  const hash = hashUndoCode(services, body.code)
  const outcome = await retryOnConflict(() =>
    services.db.transaction().execute(trx => undo(trx, services, { hash, language, address })),
  )
  return 'refused' in outcome ? outcome : { data: outcome }
}

type Change = Selectable<Schema['contact_change']>

const changeColumns = [
  'id',
  'applicant_id',
  'kind',
  'value_before',
  'proven_before',
  'last_proven_before',
  'value_after',
  'undo_hash',
  'changed_at',
  'undone_at',
] as const satisfies readonly (keyof Change)[]

async function undo(
  trx: Transaction<Schema>,
  services: Services,
  { hash, language, address }: { hash: string; language: Language; address: string },
): Promise<UndoAnswer | Refusal> {
  const change = await trx
    .selectFrom('contact_change')
    .select(changeColumns)
    .where('undo_hash', '=', hash)
    .where('changed_at', '>', sql<Date>`now() - make_interval(hours => ${undoHours})`)
    .executeTakeFirst()
  if (change === undefined) return refuse('code-expired')
  const { applicant_id: applicantId } = change
  for (const contact of await listContacts(trx, applicantId)) await lockContactAndFindOwner(trx, contact)
  await lockApplicants(trx, [applicantId])
  const changes = await listChangesSince(trx, change)
  const pending = changes.filter(each => each.undone_at === null)
  const verdict = judgeUndo(pending, change.id)
  if (verdict === 'code-expired') return refuse(verdict)
  if (verdict === 'undo') for (const each of pending) await revert(trx, each)
  const contacts = await listContacts(trx, applicantId)
  const isComplete = hasContactsFromBefore(changes, contacts)
  if (verdict === 'done') return { isComplete }
  await endSessions(trx, applicantId)
  // The person who made the changes may also have requested the deletion, so the undo cancels it. The owner can request it
  // again (D112).
  await cancelDeletion(trx, services, { applicantId, language, address })
  await recordEvent(trx, services, { kind: 'contact-change-undone', subject: { applicantId }, address })
  await notifyOfUndo(trx, { contacts, change, isComplete, language })
  return { isComplete }
}

async function notifyOfUndo(
  trx: Transaction<Schema>,
  {
    contacts,
    change,
    isComplete,
    language,
  }: { contacts: readonly OwnContact[]; change: Change; isComplete: boolean; language: Language },
): Promise<void> {
  const text = translateTo(language)(`contactChange.sms.${isComplete ? 'undone' : 'partlyUndone'}`)
  for (const contact of contacts)
    await notify(trx, contact, {
      applicantId: change.applicant_id,
      key: `contact-undo:${change.id}:${contact.kind}`,
      text,
      language,
    })
}

/** Returns the change and the later ones, the last one first. */
async function listChangesSince(trx: Kysely<Schema>, { applicant_id, id }: Change): Promise<Change[]> {
  return trx
    .selectFrom('contact_change')
    .select(changeColumns)
    .where('applicant_id', '=', applicant_id)
    .where('id', '>=', id)
    .orderBy('id', 'desc')
    .execute()
}

async function revert(trx: Transaction<Schema>, change: Change): Promise<void> {
  const { id, kind, applicant_id: applicantId, value_before, value_after } = change
  if (value_after !== null) await deleteContact(trx, { kind, value: value_after }, applicantId)
  if (value_before !== null) await restore(trx, change, value_before)
  await trx
    .updateTable('contact_change')
    .set({ undone_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * A person who signed in with the removed contact has another account. With applications, that account keeps the contact.
 * Without any, it loses the contact, and is deleted if it has no other contact.
 */
async function restore(trx: Transaction<Schema>, change: Change, value: string): Promise<void> {
  const { kind, applicant_id: applicantId, proven_before, last_proven_before } = change
  const contact = { kind, value }
  const owner = await lockContactAndFindOwner(trx, contact)
  const isForeign = owner !== undefined && owner !== applicantId
  if (isForeign) await lockApplicants(trx, [owner])
  const ownerHasApplications = isForeign && (await hasApplications(trx, owner))
  const verdict = judgeRestore({ applicantId, owner, ownerHasApplications })
  if (verdict === 'taken') return
  if (owner === undefined) await addContact(trx, contact, applicantId)
  else if (verdict === 'move') await moveContact(trx, contact, { from: owner, to: applicantId })
  if (proven_before !== null)
    await trx
      .updateTable('contact')
      // Another person may have proven the contact since.
      .set({ proven_at: proven_before, last_proven_at: last_proven_before ?? proven_before })
      .where('kind', '=', kind)
      .where(columnIsContact('value', value))
      .execute()
}
