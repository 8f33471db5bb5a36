import { type Kysely, sql } from 'kysely'
import type { ProblemCode } from '#contract/problems.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash, plainHash, sameHash } from '#server/crypto/keyed-hash.ts'
import type { Contact } from './contact.ts'

/** Number of wrong tries that the unexpired codes of one browser share (D21). */
export const triesPerCode = 5

/** `triesLeft` counts only for the unexpired codes of the browser that asked for them, so it reveals nothing else. */
export type CheckedCode =
  | { kind: 'right'; codeId: number }
  | { kind: 'refused'; problem: ProblemCode; triesLeft: number }

/**
 * Checks a code against the contact's last two unused codes for this browser. One statement counts the try before the
 * comparison, so that guesses at the same time share the same few tries.
 */
export async function checkCode(
  { db, secrets }: Services,
  entry: { contact: Contact; browser: string; code: string },
): Promise<CheckedCode> {
  const challenge = await db
    .updateTable('challenge')
    .set({ tries: sql<number>`tries + 1` })
    .where('kind', '=', entry.contact.kind)
    .where('value', '=', entry.contact.value)
    .where('browser_hash', '=', plainHash(entry.browser))
    .where('tries', '<', triesPerCode)
    .returning(['id', 'tries'])
    .executeTakeFirst()
  if (!challenge) return noValidCode
  const codes = await readLastCodes(db, challenge.id)
  if (!codes.some(code => code.isUnexpired)) return noValidCode
  const typed = keyedHash(secrets.codeKey, challenge.id, entry.code.replace(/[\s-]/g, ''))
  const match = codes.find(code => sameHash(code.code_hash, typed))
  if (match?.isUnexpired) return { kind: 'right', codeId: match.id }
  if (challenge.tries >= triesPerCode) await endCodes(db, challenge.id)
  const problem = match ? 'code-expired' : 'code-wrong'
  return { kind: 'refused', problem, triesLeft: triesPerCode - challenge.tries }
}

const noValidCode = { kind: 'refused', problem: 'code-expired', triesLeft: 0 } as const

/** `otherContact` is the contact that the code was sent to by the other channel; undefined for the typed contact. */
export type UsedCode = { otherContact: string | undefined }

/**
 * Uses a code and all other codes of the same browser. From now on the browser is known for this contact, unless it is a
 * shared device. Undefined when another call used the code first or the code has expired.
 */
export async function useCode(
  trx: Kysely<Schema>,
  { codeId, sharedDevice }: { codeId: number; sharedDevice: boolean },
): Promise<UsedCode | undefined> {
  const used = await trx
    .updateTable('one_time_code')
    .set({ used_at: sql<Date>`now()` })
    .where('id', '=', codeId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['challenge_id', 'sent_to'])
    .executeTakeFirst()
  if (!used) return undefined
  await trx
    .updateTable('one_time_code')
    .set({ used_at: sql<Date>`now()` })
    .where('challenge_id', '=', used.challenge_id)
    .where('used_at', 'is', null)
    .execute()
  await trx
    .updateTable('challenge')
    .set({ proven_at: sharedDevice ? null : sql<Date>`now()` })
    .where('id', '=', used.challenge_id)
    .execute()
  return { otherContact: used.sent_to ?? undefined }
}

/** Expires the codes whose tries are used up, so that the next code gets new tries. */
async function endCodes(db: Kysely<Schema>, challenge: string): Promise<void> {
  await db
    .updateTable('one_time_code')
    .set({ expires_at: sql<Date>`now()` })
    .where('challenge_id', '=', challenge)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
}

type StoredCode = { id: number; code_hash: string; isUnexpired: boolean }

/** Returns the last two unused codes, so that a late SMS is still valid until its own code expires. */
async function readLastCodes(db: Kysely<Schema>, challenge: string): Promise<StoredCode[]> {
  return db
    .selectFrom('one_time_code')
    .select(['id', 'code_hash', sql<boolean>`expires_at > now()`.as('isUnexpired')])
    .where('challenge_id', '=', challenge)
    .where('used_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(2))
    .execute()
}
