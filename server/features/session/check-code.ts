import { type Kysely, type RawBuilder, sql } from 'kysely'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash, plainHash, sameHash } from '#server/crypto/keyed-hash.ts'
import { codesUsed } from '#server/calls/event-counts.ts'
import {
  type CheckedCode,
  endsCodes,
  judgeTry,
  noValidCode,
  type RefusedCode,
  repeatOf,
  repeatSeconds,
  triesPerCode,
  waitSeconds,
} from './code-check-rule.ts'
import type { Contact } from './contact.ts'
import { codeLabelsOf } from './other-contact.ts'

type CodeEntry = { contact: Contact; browser: string; code: string }

/**
 * Checks a code against the contact's last two unused codes for this browser or, when none of them is valid, against
 * the code that was used in the last minute. Does not use it up (`useCode`). One statement counts the try and sets the
 * time of the next permitted try before the comparison, so that guesses at the same time share the same few tries and
 * waits.
 */
export async function checkCode({ db, secrets }: Services, entry: CodeEntry): Promise<CheckedCode> {
  const challenge = await db
    .updateTable('challenge')
    .set({
      tries: sql<number>`tries + 1`,
      next_try_at: sql<Date>`now() + make_interval(secs => (${waitSeconds}::integer[])[tries + 1])`,
    })
    .where(isChallengeOf(entry))
    .where(sql<boolean>`coalesce(next_try_at <= now() or next_try_at > now() + ${longestWait}, true)`)
    .returning([
      'id',
      'tries',
      sql<number | null>`(select max(id) from one_time_code where challenge_id = challenge.id)`.as(
        'lastCode',
      ),
    ])
    .executeTakeFirst()
  if (!challenge) return refuseEarlyTry(db, entry)
  const codes = await readLastCodes(db, challenge)
  const typed = keyedHash(secrets.codeKey, challenge.id, entry.code.replace(/[\s-]/g, ''))
  const { tries } = challenge
  const compared = codes.map(code => ({ ...code, isRight: sameHash(code.code_hash, typed) }))
  const checked = judgeTry(compared, tries)
  if (checked === undefined) return checkUsedCode(db, challenge.id, typed)
  if (endsCodes(checked, tries)) await endCodes(db, challenge.id, codes)
  return checked
}

/** A longer wait was stored by a clock that was ahead for a time (D95), and counts as over. */
const longestWait = sql`interval '1 minute'`

/** The challenge of this contact and browser, while it has tries left. */
function isChallengeOf({ contact, browser }: CodeEntry): RawBuilder<boolean> {
  return sql<boolean>`kind = ${contact.kind} and ${columnIsContact('value', contact.value)}
    and browser_hash = ${plainHash(browser)} and tries < ${triesPerCode}`
}

async function refuseEarlyTry(db: Kysely<Schema>, entry: CodeEntry): Promise<RefusedCode> {
  const waiting = await db
    .selectFrom('challenge')
    .select(sql<number>`ceil(extract(epoch from next_try_at - now()))::integer`.as('seconds'))
    .where(isChallengeOf(entry))
    .where('next_try_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return waiting ? { kind: 'refused', problem: 'too-many-requests', seconds: waiting.seconds } : noValidCode
}

/** A wrong code gets the same answer whether or not a code was just used. */
async function checkUsedCode(db: Kysely<Schema>, challenge: string, typed: string): Promise<CheckedCode> {
  const used = await db
    .selectFrom('one_time_code')
    .innerJoin('challenge', 'challenge.id', 'one_time_code.challenge_id')
    .select(['one_time_code.id', 'code_hash', 'opened_token', 'joined_session'])
    .select(['dormant_applicant', 'sent_to', 'kind'])
    .where('challenge_id', '=', challenge)
    .where(code =>
      code.or([
        code('opened_token', 'is not', null),
        code('joined_session', 'is not', null),
        code('dormant_applicant', 'is not', null),
      ]),
    )
    .where('used_at', '>', sql<Date>`now() - make_interval(secs => ${repeatSeconds})`)
    .orderBy('used_at', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!used || !sameHash(used.code_hash, typed)) return noValidCode
  // The code is right, so its repetitions neither wait nor count as tries.
  await db
    .updateTable('challenge')
    .set({ next_try_at: null, tries: sql<number>`greatest(tries - 1, 0)` })
    .where('id', '=', challenge)
    .execute()
  return repeatOf(used)
}

/**
 * Whether the contact was verified before in the browser of this code: it got a code that was used there, and no code
 * for it was used there on a shared device since.
 */
export async function isKnownBrowser(trx: Kysely<Schema>, codeId: number): Promise<boolean> {
  const known = await trx
    .selectFrom('one_time_code')
    .innerJoin('challenge', 'challenge.id', 'one_time_code.challenge_id')
    .select('challenge.id')
    .where('one_time_code.id', '=', codeId)
    .where('challenge.proven_at', 'is not', null)
    .executeTakeFirst()
  return known !== undefined
}

/**
 * `otherContact`: the contact that got the code by the other channel; undefined when the typed contact got it. `labels` are
 * for `countUsedCode`.
 */
export type UsedCode = { otherContact: string | undefined; labels: ReturnType<typeof codeLabelsOf> }

/**
 * Uses a code and all other codes of the same typed contact and browser. From now on the browser is known for this
 * contact (D90), or unknown if the device is shared. A code that went to the other contact (F6) does not make it known,
 * but leaves it known. Undefined when another call used the code first or the code has expired. The calling function
 * calls `countUsedCode` after its commit.
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
  const provenAt = used.sent_to === null ? sql<Date>`now()` : sql<Date | null>`proven_at`
  const { kind, dialCode } = await trx
    .updateTable('challenge')
    // The right code does not count as a try, so that it can be repeated after four wrong ones.
    .set({
      proven_at: sharedDevice ? null : provenAt,
      tries: sql<number>`greatest(tries - 1, 0)`,
      next_try_at: null,
    })
    .where('id', '=', used.challenge_id)
    .returning(['kind', 'dial_code as dialCode'])
    .executeTakeFirstOrThrow()
  return {
    otherContact: used.sent_to ?? undefined,
    labels: codeLabelsOf({ kind, dialCode }, used.sent_to !== null),
  }
}

/** Counts a used code in the metrics. After the commit, because a transaction that fails may run again. */
export function countUsedCode({ labels }: UsedCode): void {
  codesUsed.inc(labels)
}

/** Stores which session the code opened, so that the same code can repeat a sign-in whose answer was lost. */
export async function storeOpenedToken(
  trx: Kysely<Schema>,
  { codeId, refreshToken }: { codeId: number; refreshToken: string },
): Promise<void> {
  await trx
    .updateTable('one_time_code')
    .set({ opened_token: plainHash(refreshToken) })
    .where('id', '=', codeId)
    .execute()
}

/**
 * Stores which session added or proved a contact with the code, so that the session can repeat a call whose answer was
 * lost.
 */
export async function storeJoinedSession(
  trx: Kysely<Schema>,
  { codeId, sessionId }: { codeId: number; sessionId: string },
): Promise<void> {
  await trx.updateTable('one_time_code').set({ joined_session: sessionId }).where('id', '=', codeId).execute()
}

/**
 * Expires the codes whose tries are used up, so that the next code gets new tries. `compared`: the codes that this try
 * was compared with. A code that was stored after them stays valid, because it may have new tries (`openChallenge`).
 */
async function endCodes(
  db: Kysely<Schema>,
  challenge: string,
  compared: readonly StoredCode[],
): Promise<void> {
  await db
    .updateTable('one_time_code')
    .set({ expires_at: sql<Date>`now()` })
    .where('challenge_id', '=', challenge)
    .where('id', '<=', Math.max(...compared.map(({ id }) => id)))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
}

type StoredCode = { id: number; code_hash: string; isUnexpired: boolean }

/**
 * Returns the last two unused codes, so that the code of a late SMS is valid until it expires. Leaves out a code that
 * was stored after the try was counted: it may have new tries, for which this try does not count (`openChallenge`).
 */
async function readLastCodes(
  db: Kysely<Schema>,
  { id, lastCode }: { id: string; lastCode: number | null },
): Promise<StoredCode[]> {
  return db
    .selectFrom('one_time_code')
    .select(['id', 'code_hash', sql<boolean>`expires_at > now()`.as('isUnexpired')])
    .where('challenge_id', '=', id)
    .where('id', '<=', lastCode ?? 0)
    .where('used_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(2))
    .execute()
}
