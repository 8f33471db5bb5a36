import type { Kysely } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { isUniqueViolation, retryOnConflict } from '#server/database/retry.ts'
import { contactValue } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { recordProof } from '#server/features/session/applicant.ts'
import type { Contact } from '#server/features/session/contact.ts'
import {
  countUsedCode,
  storeJoinedSession,
  type UsedCode,
  useCode,
} from '#server/features/session/check-code.ts'
import { readNewestCaller } from '#server/features/session/refresh.ts'
import { recordChange } from './contact-change.ts'
import { hasProof } from './contact-proof.ts'
import { judgeJoin } from './contact-rule.ts'
import {
  addContact,
  endSessions,
  hasApplications,
  listContacts,
  lockApplicants,
  lockContactAndFindOwner,
  moveContact,
} from './contact-rows.ts'

export type JoinResult = { kind: 'joined'; caller: Caller } | { kind: 'refused'; problem: ProblemCode }

/**
 * Makes a verified contact the caller's second contact. Refuses it when another account with applications has it, or when the
 * caller has another contact of its kind. This refusal is the same as for an invalid contact, so it does not show that the
 * contact is known. The other sessions of the caller end, unless the account had the contact already (D70).
 */
export async function joinContact(services: Services, joining: JoinRequest): Promise<JoinResult> {
  try {
    const { result, used } = await retryOnConflict(() =>
      services.db.transaction().execute(trx => join(trx, services, joining)),
    )
    if (used) countUsedCode(used)
    return result
  } catch (error) {
    // Each retry failed too, because other calls added this contact or another one of its kind at the same time.
    if (isUniqueViolation(error)) return { kind: 'refused', problem: 'contact-refused' }
    throw error
  }
}

/**
 * Returns what the first call returned, when the client repeats a call whose answer was lost. Undefined when the
 * contact is no longer the caller's.
 */
export async function readJoined(
  db: Kysely<Schema>,
  { caller, contact }: { caller: Caller; contact: Contact },
): Promise<Caller | undefined> {
  const own = await listContacts(db, caller.applicantId)
  const isOwn = own.some(({ kind, value }) => kind === contact.kind && value === contact.value)
  return isOwn ? readNewestCaller(db, caller) : undefined
}

type JoinRequest = {
  contact: Contact
  caller: Caller
  codeId: number
  sharedDevice: boolean
  language: Language
  /** The client's IP address. */
  address: string
}

async function join(
  trx: Kysely<Schema>,
  services: Services,
  joining: JoinRequest,
): Promise<{ result: JoinResult; used: UsedCode | undefined }> {
  if (!(await hasProof(trx, joining.caller)))
    return { result: { kind: 'refused', problem: 'proof-needed' }, used: undefined }
  const used = await useCode(trx, joining)
  // A code that was sent by the other channel verifies the contact that got it, not the one to add.
  if (!used || used.otherContact !== undefined)
    return { result: { kind: 'refused', problem: 'code-expired' }, used }
  return { result: await joinVerified(trx, services, joining), used }
}

async function joinVerified(
  trx: Kysely<Schema>,
  services: Services,
  joining: JoinRequest,
): Promise<JoinResult> {
  const { contact, caller, language, address } = joining
  const { applicantId } = caller
  const owner = await lockContactAndFindOwner(trx, contact)
  const existingIds = await lockApplicants(trx, [applicantId, ...(owner === undefined ? [] : [owner])])
  const before = await listContacts(trx, applicantId)
  const verdict = judgeJoin({
    applicantId,
    isPresent: existingIds.includes(applicantId),
    owner,
    ownerHasApplications: owner !== undefined && (await hasApplications(trx, owner)),
    before,
    kind: contact.kind,
  })
  if (verdict === 'not-signed-in' || verdict === 'contact-refused')
    return { kind: 'refused', problem: verdict }
  if (verdict === 'known') return finishJoining(trx, joining)
  if (owner === undefined) await addContact(trx, contact, applicantId)
  else await moveContact(trx, contact, { from: owner, to: applicantId })
  await endSessions(trx, applicantId, { except: caller.sessionId })
  const { kind, value: added } = contact
  await recordChange(trx, services, { applicantId, kind, before, added, language, address })
  return finishJoining(trx, joining)
}

async function finishJoining(
  trx: Kysely<Schema>,
  { caller, contact, codeId }: JoinRequest,
): Promise<JoinResult> {
  await recordProof(trx, contact)
  await storeJoinedSession(trx, { codeId, sessionId: caller.sessionId })
  return { kind: 'joined', caller: await storeInSession(trx, caller, contact) }
}

/**
 * Writes the contact to the caller's session and removes the proof of the session (`hasProof`). Returns the caller for the next
 * access token, as the session is after this write.
 */
export async function storeInSession(
  trx: Kysely<Schema>,
  caller: Caller,
  changed: Pick<Contact, 'kind' | 'value'>,
): Promise<Caller> {
  const value = contactValue(changed.value)
  await trx
    .updateTable('session')
    .set({
      ...(changed.kind === 'phone' ? { msisdn: value } : { email: value }),
      proof_kind: null,
      proof_at: null,
    })
    .where('id', '=', caller.sessionId)
    .execute()
  // The calling functions have locked the applicant, so the session exists.
  return (await readNewestCaller(trx, caller)) ?? caller
}
