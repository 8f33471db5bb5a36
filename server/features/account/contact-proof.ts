import { type Kysely, sql } from 'kysely'
import { type ContactKind, proofMinutes } from '#contract/account.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Call, type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import {
  countUsedCode,
  storeJoinedSession,
  type UsedCode,
  useCode,
} from '#server/features/session/check-code.ts'
import { noValidCode } from '#server/features/session/code-check-rule.ts'
import { recordProof } from '#server/features/session/applicant.ts'
import { type Contact, readContact } from '#server/features/session/contact.ts'
import {
  checkTypedCode,
  refuseCode,
  refuseUnusableCode,
  sendCodeTo,
} from '#server/features/session/session-handlers.ts'
import { listContacts } from './contact-rows.ts'

/**
 * Sends a code to a contact of the account. A session alone may not change contacts, because it may have been left open or
 * stolen. It must first prove a contact of the account again with a fresh code (D70).
 */
export async function askProofCode(
  services: Services,
  call: Call<'askProofCode'>,
): Promise<{ data: { statusCode: 0; message?: string } } | Refusal> {
  const contact = await findOwnContact(services.db, call.caller, call.body.kind)
  if (!contact) return refuse('contact-refused')
  const { gRecaptchaResponse } = call.body
  return sendCodeTo(services, { ...call, body: { ...contactBody(contact), gRecaptchaResponse } })
}

/** Checks the code of `askProofCode` and stores the proof. A repeated call of the same session succeeds for a minute. */
export async function proveContact(
  services: Services,
  { body, caller, transport }: Call<'proveContact'>,
): Promise<Record<string, never> | Refusal> {
  const contact = await findOwnContact(services.db, caller, body.kind)
  if (!contact) return refuse('contact-refused')
  const checked = await checkTypedCode(services, { contact, transport, code: body.otp })
  // The answer to the first call was lost.
  if (checked.kind === 'joined' && checked.sessionId === caller.sessionId) return {}
  if (checked.kind !== 'right') return refuseUnusableCode(checked)
  const { codeId } = checked
  const { sharedDevice } = transport
  const { isProven, used } = await retryOnConflict(() =>
    services.db.transaction().execute(trx => storeProof(trx, { caller, contact, codeId, sharedDevice })),
  )
  if (used) countUsedCode(used)
  return isProven ? {} : refuseCode(noValidCode)
}

/**
 * Whether the session has proven a contact of the account within `proofMinutes`. In a transaction the session stays
 * locked until the change has removed the proof, so that one proof allows one change. `except`: a contact to remove
 * cannot allow its own removal.
 */
export async function hasProof(
  db: Kysely<Schema>,
  { sessionId }: Pick<Caller, 'sessionId'>,
  { except }: { except?: ContactKind } = {},
): Promise<boolean> {
  const proven = await db
    .selectFrom('session')
    .select('proof_kind')
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('proof_at', '>', sql<Date>`now() - make_interval(mins => ${proofMinutes})`)
    .forUpdate()
    .executeTakeFirst()
  return proven !== undefined && proven.proof_kind !== except
}

async function storeProof(
  trx: Kysely<Schema>,
  proof: { caller: Caller; contact: Contact; codeId: number; sharedDevice: boolean },
): Promise<{ isProven: boolean; used: UsedCode | undefined }> {
  const { caller, contact, codeId } = proof
  const used = await useCode(trx, proof)
  // The sign-in had this code sent to the other contact of the account (F6): the code verifies that contact, not this one.
  if (!used || used.otherContact !== undefined) return { isProven: false, used }
  await recordProof(trx, contact)
  await storeJoinedSession(trx, { codeId, sessionId: caller.sessionId })
  await trx
    .updateTable('session')
    .set({ proof_kind: contact.kind, proof_at: sql<Date>`now()` })
    .where('id', '=', caller.sessionId)
    .where('ended_at', 'is', null)
    .execute()
  return { isProven: true, used }
}

/** Reads the contact from its table, because a token may still name a contact that was removed. */
async function findOwnContact(
  db: Kysely<Schema>,
  { applicantId }: Caller,
  kind: ContactKind,
): Promise<Contact | undefined> {
  const own = (await listContacts(db, applicantId)).find(contact => contact.kind === kind)
  return own && readContact(contactBody(own))
}

function contactBody({ kind, value }: Pick<Contact, 'kind' | 'value'>): { msisdn: string; email: string } {
  return kind === 'phone' ? { msisdn: value, email: '' } : { msisdn: '', email: value }
}
