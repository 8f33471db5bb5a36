import { createHmac } from 'node:crypto'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { isConflict, retryOnConflict } from '#server/database/retry.ts'
import * as z from 'zod/mini'
import { keptDays } from '#contract/retention.ts'
import { fromStored, toStored } from '#server/config/data-keys.ts'
import { isSealed, type SealedPlace } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'

/** Status and body of the response. `isRepeated`: it is the stored answer of an earlier call, and this call had no effect. */
export type CallOutcome = { status: number; body: Record<string, unknown>; isRepeated?: true }

/**
 * One request of one applicant. The key is unique within the scope; the fingerprint identifies the request's content.
 */
export type Intent = {
  scope: string
  key: string
  fingerprint: string
  /**
   * A query that returns a row while the session is valid, run in the statement that claims the key. Unset: no check.
   */
  liveSession?: RawBuilder<unknown>
  /**
   * Whether the stored answer must not be repeated, because it is no longer true. Then the call runs again. Its new answer
   * replaces the stored one in `runInTransaction`, if it may be stored (`isStorable`). Unset: a stored answer is never
   * outdated.
   */
  isOutdated?: ((db: Kysely<Schema>, storedAnswer: CallOutcome['body']) => Promise<boolean>) | undefined
}

type AnswerServices = Pick<Services, 'secrets'> & { db: Kysely<Schema> }

/**
 * After this time without an answer the process of a call in two steps counts as crashed: a retry may run the call
 * again. A retry may also run it again when its claim has a time more than this far in the future: the clock of the
 * database was ahead for a time (D95).
 */
const crashedAfter = sql`interval '60 seconds'`

/** An older answer is not used again. */
const kept = sql`interval '1 day' * ${keptDays.callAnswers}::integer`

/**
 * Runs an intent once (D13): the same key and request get the same answer for seven days. A refusal is stored too,
 * unless it contains data or is a failure of the server (`isStorable`). Only an answer that is outdated is not repeated
 * (`isOutdated`). The key, the effect and the answer are one transaction (D72), so a crash leaves all of them or
 * nothing. A second call with the same key waits for the first one, at most until PostgreSQL ends its wait for a lock,
 * and gets its stored answer; without one it runs itself. An answer that is not stored undoes the key and all that
 * `run` wrote. After a lost race everything runs again, in a new transaction, until it has run five times. Without an
 * intent, only `run` is in the transaction.
 * Refuses as `not-signed-in`, `in-flight`, `key-reused`, or `unavailable` when every race was lost.
 *
 * `findLikelyRefusal`: called when the call has its connection. When one statement proves the refusal and stores it,
 * `run` and its transaction are not needed (D118).
 *
 * @throws the error of `run`; nothing is stored then.
 */
export async function runInTransaction(
  { db, logger, secrets }: Pick<Services, 'db' | 'logger' | 'secrets'>,
  intent: Intent | undefined,
  run: (trx: Transaction<Schema>) => Promise<CallOutcome>,
  findLikelyRefusal?: FindLikelyRefusal,
): Promise<CallOutcome | Refusal> {
  const runWhole = (on: Kysely<Schema>) =>
    on.transaction().execute(trx => claimAndRun({ db: trx, secrets }, intent, run))
  try {
    return await retryOnConflict(() =>
      intent && findLikelyRefusal
        ? db
            .connection()
            .execute(async one => (await refuseWithProof(one, intent, findLikelyRefusal())) ?? runWhole(one))
        : runWhole(db),
    )
  } catch (error) {
    if (error instanceof UndoneOutcome) return error.outcome
    if (!isConflict(error)) throw error
    logger.warn(
      { err: error },
      'A write was refused: other writes came first at every attempt. The caller got 503 and tries again.',
    )
    return { refused: 'unavailable' }
  }
}

async function claimAndRun(
  services: Pick<Services, 'secrets'> & { db: Transaction<Schema> },
  intent: Intent | undefined,
  run: (trx: Transaction<Schema>) => Promise<CallOutcome>,
): Promise<CallOutcome | Refusal> {
  const claim = intent && (await claimKey(services, intent))
  if (claim?.kind === 'refused') return claim.refusal
  if (claim?.kind === 'answered') {
    const isOutdated = await intent?.isOutdated?.(services.db, claim.outcome.body)
    if (!isOutdated) return claim.outcome
  }
  const outcome = await run(services.db)
  if (!isStorable(outcome)) throw new UndoneOutcome(outcome)
  if (intent) await storeAnswer(services.db, intent, outcome)
  return outcome
}

/** The likely refusal of a call (D118): its answer, and a query that returns a row when the refusal is right. */
type ProvableRefusal = { proof: RawBuilder<unknown>; outcome: CallOutcome; onProved: () => void }
export type FindLikelyRefusal = () => ProvableRefusal | undefined

/**
 * Proves a refusal and stores it under its key, in one statement that is its own transaction. The snapshot of the statement
 * shows each other transaction either whole or not at all. If another call with this key has not ended, the statement waits
 * for its end. Undefined: no refusal is likely, the key is taken, the session has ended, or the refusal is wrong; then nothing
 * is stored.
 */
async function refuseWithProof(
  db: Kysely<Schema>,
  { scope, key, fingerprint, liveSession = sql`select` }: Intent,
  likely: ProvableRefusal | undefined,
): Promise<CallOutcome | undefined> {
  if (likely === undefined) return undefined
  const { status, body } = likely.outcome
  const { rows } = await sql`
    with commit_setting as (${withoutDiskQuery})
    insert into idempotency (scope, key, fingerprint, status, answer)
    select ${scope}, ${key}, ${fingerprint}, ${status}::integer, ${JSON.stringify(body)}::jsonb from commit_setting
    where exists (${liveSession}) and exists (${likely.proof})
    on conflict (scope, key) do nothing
    returning status`.execute(db)
  if (rows.length === 0) return undefined
  likely.onProved()
  return likely.outcome
}

/** Kysely rolls a transaction back only after an error. */
class UndoneOutcome extends Error {
  readonly outcome: CallOutcome
  constructor(outcome: CallOutcome) {
    super('The answer of a write is not stored.')
    this.outcome = outcome
  }
}

/**
 * Runs an intent once as `runInTransaction` does, for a write that waits for something outside, such as a payment
 * provider: no transaction may wait for that. So the key is claimed before the call, and its answer stored afterwards.
 * After an answer that is not stored (`isStorable`) the next try runs again. While the call runs, a second one with the
 * same key is refused as `in-flight`, and so is the retry after a crash, for a minute. An outdated answer
 * (`isOutdated`) stays stored, so each further try runs the call, as a call without a key does.
 *
 * @throws the error of `run`, or of the statement that stores its answer; the claim is then deleted.
 */
export async function runInTwoSteps(
  services: AnswerServices,
  intent: Intent,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome | Refusal> {
  const { db } = services
  const claim = await claimKey(services, intent, { mayBeLost: true })
  if (claim.kind === 'answered')
    return (await intent.isOutdated?.(db, claim.outcome.body)) ? run() : claim.outcome
  if (claim.kind === 'refused') return claim.refusal
  const own = { intent, claimedAt: claim.claimedAt }
  try {
    const outcome = await run()
    if (isStorable(outcome)) await storeAnswerOfClaim(services, own, outcome)
    else await deleteClaim(db, own)
    return outcome
  } catch (error) {
    await deleteClaim(db, own)
    throw error
  }
}

/**
 * Returns the same text for the same request, independent of the order of keys and of `lg`. The hash is keyed, because
 * a request can contain a PIN: a plain hash of four digits is easy to reverse.
 */
export function fingerprintOf(
  parts: { params: unknown; query: unknown; body: unknown },
  secret: Uint8Array,
): string {
  const text = JSON.stringify(parts, (key, value: unknown) => (key === 'lg' ? undefined : sortKeys(value)))
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Whether the key of this intent has a row already, so that a write with it adds none. */
export async function isKeyStored(db: Kysely<Schema>, intent: Intent): Promise<boolean> {
  return (await rowOf(db, intent).select('key').executeTakeFirst()) !== undefined
}

function rowOf(db: Kysely<Schema>, { scope, key }: Intent) {
  return db.selectFrom('idempotency').where('scope', '=', scope).where('key', '=', key)
}

/**
 * Whether this call counts as one that has stored its answer under its key. A refusal of the key itself is not stored,
 * and a repeated answer was stored before. True also for a call that ran because the stored answer was outdated,
 * although its key had a row before, and although `runInTwoSteps` stores no new answer then.
 */
export function hasStored(outcome: CallOutcome | Refusal): boolean {
  return !('refused' in outcome) && !outcome.isRepeated && isStorable(outcome)
}

/** A UUID, or another word of 8 to 100 characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:-]{8,100}$/.test(value)
}

type Claim =
  | { kind: 'claimed'; claimedAt: Date }
  | { kind: 'answered'; outcome: CallOutcome }
  | { kind: 'refused'; refusal: Refusal }

/**
 * Inserts the row of the key. If another transaction has inserted it and has not ended, the database waits for its end.
 * `mayBeLost`: the claim does not wait for the disk. The commit of the call's own effect comes later and flushes the
 * claim as well. If a crash loses the claim, the next try runs at once.
 */
async function claimKey(
  services: AnswerServices,
  intent: Intent,
  { mayBeLost }: { mayBeLost: boolean } = { mayBeLost: false },
): Promise<Claim> {
  const { scope, key, fingerprint, liveSession = sql`select` } = intent
  const { rows } = await sql<{ claimed_at: Date | null; signed_in: boolean }>`
    with commit_setting as (${mayBeLost ? withoutDiskQuery : sql`select`}),
    valid_session as (${liveSession}),
    claimed as (
      insert into idempotency (scope, key, fingerprint)
      select ${scope}, ${key}, ${fingerprint} from commit_setting where exists (select from valid_session)
      on conflict (scope, key) do update
        set fingerprint = excluded.fingerprint, status = null, answer = null, created_at = now()
        where idempotency.created_at < now() - ${kept} or (idempotency.status is null
          and idempotency.fingerprint = excluded.fingerprint
          and idempotency.created_at not between now() - ${crashedAfter} and now() + ${crashedAfter})
      returning created_at)
    select (select created_at from claimed) as claimed_at, exists (select from valid_session) as signed_in`.execute(
    services.db,
  )
  const [claim] = rows
  if (claim?.claimed_at) return { kind: 'claimed', claimedAt: claim.claimed_at }
  if (!claim?.signed_in) return { kind: 'refused', refusal: { refused: 'not-signed-in' } }
  return readAnswer(services, intent)
}

/** The commit does not wait for the disk. */
const withoutDiskQuery = sql`select set_config('synchronous_commit', 'off', true)`

async function readAnswer(services: AnswerServices, intent: Intent): Promise<Claim> {
  const { fingerprint } = intent
  const row = await rowOf(services.db, intent).select(['fingerprint', 'status', 'answer']).executeTakeFirst()
  // The first call failed and deleted its row after this call's claim was rejected: let the client retry.
  if (!row) return { kind: 'refused', refusal: { refused: 'in-flight' } }
  if (row.fingerprint !== fingerprint) return { kind: 'refused', refusal: { refused: 'key-reused' } }
  if (row.status === null || row.answer === null)
    return { kind: 'refused', refusal: { refused: 'in-flight' } }
  const body = openAnswer(services, intent, row.answer)
  return { kind: 'answered', outcome: { status: row.status, body, isRepeated: true } }
}

/**
 * A refusal that contains data is not stored: it changed nothing, and a retry gets the current data. A failure of the
 * server is not stored either.
 */
function isStorable({ status, body }: CallOutcome): boolean {
  const ownData = Object.keys(Object(body['data'])).filter(name => name !== 'statusCode')
  return status < 400 || (status < 500 && ownData.length === 0)
}

/**
 * Stores the answer in the row that this transaction has claimed, or in place of an outdated answer. An insert with a
 * conflict always finds the row by its index; an update that was planned while the table was small would read the whole
 * table. The commit of a refusal does not wait for the disk, because it changed nothing: a retry after a crash is
 * refused or not by what is true then.
 */
async function storeAnswer(
  trx: Transaction<Schema>,
  { scope, key, fingerprint }: Intent,
  { status, body }: CallOutcome,
): Promise<void> {
  await sql`
    with commit_setting as (${status < 400 ? sql`select` : withoutDiskQuery})
    insert into idempotency (scope, key, fingerprint, status, answer)
    select ${scope}, ${key}, ${fingerprint}, ${status}::integer, ${JSON.stringify(body)}::jsonb from commit_setting
    on conflict (scope, key) do update set status = excluded.status, answer = excluded.answer`.execute(trx)
}

type OwnClaim = { intent: Intent; claimedAt: Date }

/**
 * Stores the answer of an own claim only: another process may have claimed the key since. Does not wait for the disk:
 * after a crash a lost answer equals one that was not stored yet.
 */
async function storeAnswerOfClaim(
  services: AnswerServices,
  { intent, claimedAt }: OwnClaim,
  { status, body }: CallOutcome,
): Promise<void> {
  const answer = await toStoredAnswer(services, intent, body)
  const { scope, key } = intent
  await sql`
    with commit_setting as (${withoutDiskQuery})
    update idempotency set status = ${status}, answer = ${answer}::jsonb
    from commit_setting
    where scope = ${scope} and key = ${key} and ${isOwnClaim(sql`${claimedAt}`)}`.execute(services.db)
}

/**
 * Returns the answer as JSON, encrypted because it can name the number that pays (D71); as it is while the encryption of the
 * database has not started. An answer of `runInTransaction` names no person, so it is stored as it is.
 */
async function toStoredAnswer(
  services: AnswerServices,
  intent: Intent,
  body: CallOutcome['body'],
): Promise<string> {
  const stored = await toStored(services, placeOf(intent), JSON.stringify(body))
  return isSealed(stored) ? JSON.stringify({ sealed: stored }) : stored
}

function openAnswer(
  services: AnswerServices,
  intent: Intent,
  answer: CallOutcome['body'],
): CallOutcome['body'] {
  const { sealed } = answer
  if (typeof sealed !== 'string') return answer
  return Body.parse(JSON.parse(fromStored(services, placeOf(intent), sealed)))
}

const Body = z.record(z.string(), z.unknown())

function placeOf({ scope, key }: Intent): SealedPlace {
  return { column: 'idempotency.answer', row: JSON.stringify([scope, key]) }
}

async function deleteClaim(db: Kysely<Schema>, { intent, claimedAt }: OwnClaim): Promise<void> {
  const { scope, key } = intent
  await sql`
    delete from idempotency
    where scope = ${scope} and key = ${key} and ${isOwnClaim(sql`${claimedAt}`)}`.execute(db)
}

/** Truncates to milliseconds, because a `Date` has no microseconds. */
function isOwnClaim(claimedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`idempotency.status is null and date_trunc('milliseconds', idempotency.created_at) = ${claimedAt}`
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
