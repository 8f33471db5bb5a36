import { type Kysely, sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { isUniqueViolation, retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { Contact } from './contact.ts'
import { storeJoinedSession, useCode } from './check-code.ts'

export type JoinResult = { kind: 'joined'; caller: Caller } | { kind: 'refused'; problem: ProblemCode }

/**
 * Makes a verified contact the caller's second contact. An earlier owner without applications loses it. An earlier owner
 * with applications keeps it, because no contact could open the applications afterwards. That refusal is the same as for an
 * invalid contact, so it does not show that the contact is known.
 */
export async function joinContact(services: Services, joining: JoinRequest): Promise<JoinResult> {
  try {
    return await retryOnConflict(() => services.db.transaction().execute(trx => join(trx, joining)))
  } catch (error) {
    // Each retry failed too, because other calls added this contact or another one of its kind at the same time.
    if (isUniqueViolation(error)) return { kind: 'refused', problem: 'contact-refused' }
    throw error
  }
}

/** Returns the same as the first call, whose answer was lost. Undefined when the contact is no longer the caller's. */
export async function readJoined(
  db: Kysely<Schema>,
  { caller, contact }: { caller: Caller; contact: Contact },
): Promise<Caller | undefined> {
  const owned = await db
    .selectFrom('contact')
    .select('value')
    .where('kind', '=', contact.kind)
    .where('value', '=', contact.value)
    .where('applicant_id', '=', caller.applicantId)
    .executeTakeFirst()
  return owned && withContact(caller, contact)
}

type JoinRequest = {
  contact: Contact
  caller: Caller
  codeId: number
  sharedDevice: boolean
  language: Language
}

async function join(trx: Kysely<Schema>, joining: JoinRequest): Promise<JoinResult> {
  const { contact, caller, codeId, language } = joining
  const used = await useCode(trx, joining)
  // A code sent by the other channel verifies that contact, not the one to add.
  if (!used || used.otherContact !== undefined) return { kind: 'refused', problem: 'code-expired' }
  const owner = await lockOwner(trx, contact)
  const present = await lockApplicants(trx, [caller.applicantId, ...(owner === undefined ? [] : [owner])])
  if (!present.includes(caller.applicantId)) return { kind: 'refused', problem: 'not-signed-in' }
  if (owner === caller.applicantId) return finishJoining(trx, joining)
  if (owner !== undefined && (await hasApplications(trx, owner)))
    return { kind: 'refused', problem: 'contact-refused' }
  if (await hasOfKind(trx, caller, contact)) return { kind: 'refused', problem: 'contact-refused' }
  if (owner === undefined) await addContact(trx, contact, caller)
  else await moveContact(trx, contact, { from: owner, to: caller })
  await notifyFirstContact(trx, { caller, contact, language, codeId })
  return finishJoining(trx, joining)
}

async function finishJoining(
  trx: Kysely<Schema>,
  { caller, contact, codeId }: JoinRequest,
): Promise<JoinResult> {
  await storeJoinedSession(trx, { codeId, sessionId: caller.sessionId })
  return { kind: 'joined', caller: await addToSessions(trx, caller, contact) }
}

async function lockOwner(trx: Kysely<Schema>, { kind, value }: Contact): Promise<string | undefined> {
  const owner = await trx
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', kind)
    .where('value', '=', value)
    .forUpdate()
    .executeTakeFirst()
  return owner?.applicant_id
}

/**
 * Locks the applicants' rows, so that neither can start an application before the contact has moved. The order by id
 * prevents deadlocks. Returns the ids that still exist.
 */
async function lockApplicants(trx: Kysely<Schema>, ids: string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('applicant')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(row => row.id)
}

async function hasOfKind(trx: Kysely<Schema>, { applicantId }: Caller, { kind }: Contact): Promise<boolean> {
  const found = await trx
    .selectFrom('contact')
    .select('value')
    .where('applicant_id', '=', applicantId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return found !== undefined
}

/** A first sign-in with this contact at the same time causes a unique violation; then the transaction runs again. */
async function addContact(
  trx: Kysely<Schema>,
  { kind, value }: Contact,
  { applicantId }: Caller,
): Promise<void> {
  await trx.insertInto('contact').values({ kind, value, applicant_id: applicantId }).execute()
}

async function moveContact(
  trx: Kysely<Schema>,
  { kind, value }: Contact,
  { from, to }: { from: string; to: Caller },
): Promise<void> {
  await trx
    .updateTable('contact')
    .set({ applicant_id: to.applicantId, proven_at: sql<Date>`now()` })
    .where('kind', '=', kind)
    .where('value', '=', value)
    .execute()
  await endFormerOwner(trx, from)
}

async function hasApplications(trx: Kysely<Schema>, applicantId: string): Promise<boolean> {
  const found = await trx
    .selectFrom('application')
    .select('id')
    .where('applicant_id', '=', applicantId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Ends the sessions of the earlier owner, who has no applications. Deletes the owner when no contact is left. */
async function endFormerOwner(trx: Kysely<Schema>, applicantId: string): Promise<void> {
  await trx
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('applicant_id', '=', applicantId)
    .where('ended_at', 'is', null)
    .execute()
  await trx
    .deleteFrom('applicant')
    .where('id', '=', applicantId)
    .where(applicant =>
      applicant.not(
        applicant.exists(
          applicant.selectFrom('contact').select('value').where('applicant_id', '=', applicantId),
        ),
      ),
    )
    .execute()
}

/** Writes the contact to all open sessions of the applicant. Their tokens name both contacts from the next refresh on. */
async function addToSessions(trx: Kysely<Schema>, caller: Caller, contact: Contact): Promise<Caller> {
  await trx
    .updateTable('session')
    .set(contact.kind === 'phone' ? { msisdn: contact.value } : { email: contact.value })
    .where('applicant_id', '=', caller.applicantId)
    .where('ended_at', 'is', null)
    .execute()
  return withContact(caller, contact)
}

function withContact(caller: Caller, { kind, value }: Contact): Caller {
  return kind === 'phone' ? { ...caller, msisdn: value } : { ...caller, email: value }
}

/** Notifies the first contact, so that the applicant learns of a contact that a session thief added. */
async function notifyFirstContact(
  trx: Kysely<Schema>,
  { caller, contact, language, codeId }: Omit<JoinRequest, 'sharedDevice'>,
): Promise<void> {
  const channel = caller.msisdn === '' ? 'email' : 'sms'
  const recipient = channel === 'sms' ? caller.msisdn : caller.email
  const t = translateTo(language)
  await enqueue(trx, {
    key: `contact-added-${codeId}`,
    channel,
    kind: 'security',
    recipient,
    message: { subject: t('contactAdded.subject'), text: t(`contactAdded.${contact.kind}`) },
  })
}
