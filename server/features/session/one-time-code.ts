import { randomBytes, randomInt } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Schema } from '#server/database/schema.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { durationText } from '#server/i18n/duration-text.ts'
import { type CodeRequest, countCode, limitOfContact } from './code-limits.ts'
import type { Contact } from './contact.ts'
import { keyedHash, plainHash, sameHash } from '#server/crypto/keyed-hash.ts'
import { findOtherContact } from './other-contact.ts'

/** Number of wrong tries that the unexpired codes of one browser share (D21). */
export const triesPerCode = 5

type CodeSending = CodeRequest & { address: string; language: Language }

/**
 * Sends a code unless a limit forbids it. Requests for one contact run one after the other, so that the limits are exact.
 * By the other channel, the answer and the work are the same with and without another contact. Otherwise an attacker
 * could learn that a number and an address belong together.
 */
export async function sendCode(services: Services, sending: CodeSending): Promise<Refusal | undefined> {
  const { contact, otherChannel } = sending
  return services.db.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`code ${contact.kind} ${contact.value}`}, 0))`.execute(
      trx,
    )
    const limit = await limitOfContact(trx, sending, services.config)
    if (limit.refused) return limit.refused
    const to = otherChannel ? await findOtherContact(trx, contact) : contact
    const maySend = await countCode(trx, services, { contact: to, address: sending.address })
    if (!maySend && !otherChannel) return refuse('unavailable')
    const challenge = await openChallenge(trx, sending)
    await storeCode(trx, services, {
      ...sending,
      challenge,
      to: maySend ? to : { ...to, value: '', address: '' },
    })
    return undefined
  })
}

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

/** Returns the challenge of contact and browser. Resets its tries only when it has no unexpired code. */
async function openChallenge(trx: Kysely<Schema>, { contact, browser }: CodeRequest): Promise<string> {
  const opened = await sql<{ id: string }>`
    insert into challenge (kind, value, browser_hash, dial_code)
    values (${contact.kind}, ${contact.value}, ${plainHash(browser)}, ${contact.dialCode})
    on conflict (kind, value, browser_hash) do update set tries = case
      when exists (
        select 1 from one_time_code
        where challenge_id = challenge.id and used_at is null and expires_at > now())
      then challenge.tries else 0 end
    returning id`.execute(trx)
  const id = opened.rows[0]?.id
  if (id === undefined) throw new Error('The challenge was not stored.')
  return id
}

async function storeCode(
  trx: Kysely<Schema>,
  { config, secrets }: Services,
  sending: { to: Contact; otherChannel: boolean; challenge: string; language: Language },
): Promise<void> {
  const { to, otherChannel, challenge, language } = sending
  const hasNoRecipient = to.address === ''
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const stored = await trx
    .insertInto('one_time_code')
    .values({
      challenge_id: challenge,
      // Without a recipient, a random value is stored that no six digits can match.
      code_hash: keyedHash(
        secrets.codeKey,
        challenge,
        hasNoRecipient ? randomBytes(32).toString('hex') : code,
      ),
      other_channel: otherChannel,
      sent_to: otherChannel && !hasNoRecipient ? to.value : null,
      expires_at: sql<Date>`now() + make_interval(secs => ${config.otpTtlSeconds})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const t = translateTo(language)
  const values = {
    code,
    duration: durationText(t, config.otpTtlSeconds),
    host: new URL(config.publicOrigin).hostname,
  }
  const channel = to.kind === 'phone' ? 'sms' : 'email'
  await enqueue(trx, {
    key: `otp-${challenge}-${stored.id}`,
    channel,
    kind: 'otp',
    recipient: to.address,
    message: { subject: t('code.subject'), text: t(`code.${channel}`, values), code },
    uselessAfterSeconds: config.otpTtlSeconds,
  })
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
