import { createHmac } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { batchCalls } from '#server/database/batch.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Refusal } from '#server/calls/call.ts'

/** Status and body of the response. */
export type CallOutcome = { status: number; body: Record<string, unknown> }

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
  isSignedIn?: RawBuilder<unknown>
}

/**
 * Runs an intent once (D13): the same key and request get the same answer for seven days, refusals included. A status
 * of 500 or more is not stored: the next try runs again. Refuses as `not-signed-in`, `in-flight` or `key-reused`.
 *
 * @throws the error of `run`; the claim is then deleted.
 */
export type RunOnce = (intent: Intent, run: () => Promise<CallOutcome>) => Promise<CallOutcome | Refusal>

/** After this time without an answer the process of a call has crashed: a retry may run the call again. */
const crashedAfterSeconds = 60

/** One per process: it stores answers that are ready at the same time in one statement. */
export function createRunOnce(db: Kysely<Schema>): RunOnce {
  const storeAnswer = batchCalls<StoredAnswer>(all => storeAnswers(db, all))
  return async (intent, run) => {
    const claim = await claimIntent(db, intent)
    if (claim.kind === 'answered') return claim.outcome
    if (claim.kind === 'refused') return claim.refusal
    return runAndStore({ db, storeAnswer }, { intent, claimedAt: claim.claimedAt }, run)
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

/** A UUID, or another word of 8 to 100 characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:-]{8,100}$/.test(value)
}

type Claim =
  | { kind: 'claimed'; claimedAt: Date }
  | { kind: 'answered'; outcome: CallOutcome }
  | { kind: 'refused'; refusal: Refusal }

/**
 * Claims the key without waiting for the disk. The commit of the call's own effect comes later and flushes the claim as
 * well. If a crash loses the claim, the next try runs at once.
 */
async function claimIntent(db: Kysely<Schema>, intent: Intent): Promise<Claim> {
  const { scope, key, fingerprint, isSignedIn = sql`select` } = intent
  const { rows } = await sql<{ claimed_at: Date | null; signed_in: boolean }>`
    with unhurried as (select set_config('synchronous_commit', 'off', true)),
    valid_session as (${isSignedIn}),
    claimed as (
      insert into idempotency (scope, key, fingerprint)
      select ${scope}, ${key}, ${fingerprint} from unhurried where exists (select from valid_session)
      on conflict (scope, key) do update
        set fingerprint = excluded.fingerprint, status = null, answer = null, created_at = now()
        where idempotency.created_at < now() - interval '7 days' or (idempotency.status is null
          and idempotency.fingerprint = excluded.fingerprint
          and idempotency.created_at < now() - make_interval(secs => ${crashedAfterSeconds}))
      returning created_at)
    select (select created_at from claimed) as claimed_at, exists (select from valid_session) as signed_in`.execute(
    db,
  )
  const [claim] = rows
  if (claim?.claimed_at) return { kind: 'claimed', claimedAt: claim.claimed_at }
  if (!claim?.signed_in) return { kind: 'refused', refusal: { refused: 'not-signed-in' } }
  return readAnswer(db, intent)
}

async function readAnswer(db: Kysely<Schema>, { scope, key, fingerprint }: Intent): Promise<Claim> {
  const row = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'status', 'answer'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
  // The first call failed and deleted its row after this call's claim was rejected: let the client retry.
  if (!row) return { kind: 'refused', refusal: { refused: 'in-flight' } }
  if (row.fingerprint !== fingerprint) return { kind: 'refused', refusal: { refused: 'key-reused' } }
  if (row.status === null || row.answer === null)
    return { kind: 'refused', refusal: { refused: 'in-flight' } }
  return { kind: 'answered', outcome: { status: row.status, body: row.answer } }
}

type OwnClaim = { intent: Intent; claimedAt: Date }
type StoredAnswer = OwnClaim & { outcome: CallOutcome }

async function runAndStore(
  { db, storeAnswer }: { db: Kysely<Schema>; storeAnswer: (answer: StoredAnswer) => Promise<void> },
  claim: OwnClaim,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  try {
    const outcome = await run()
    if (isStorable(outcome)) await storeAnswer({ ...claim, outcome })
    else await deleteClaim(db, claim)
    return outcome
  } catch (error) {
    await deleteClaim(db, claim)
    throw error
  }
}

/**
 * A refusal that contains the applicant's data is not stored: it changed nothing, and a retry gets the current data.
 */
function isStorable({ status, body }: CallOutcome): boolean {
  const ownData = Object.keys(Object(body['data'])).filter(name => name !== 'statusCode')
  return status < 400 || (status < 500 && ownData.length === 0)
}

/**
 * Stores the answers of this process's own claims only: another process may have claimed the key since. Does not wait
 * for the disk: after a crash a lost answer equals one that was not stored yet. The statement begins with a comment, so
 * that PreparingClient plans it at each call: a plan from when the table was small would scan the whole table.
 */
async function storeAnswers(db: Kysely<Schema>, all: readonly StoredAnswer[]): Promise<void> {
  await sql`/* planned at each call */
    with unhurried as (select set_config('synchronous_commit', 'off', true)),
    stored as (
      select * from unnest(
        ${all.map(({ intent }) => intent.scope)}::text[],
        ${all.map(({ intent }) => intent.key)}::text[],
        ${all.map(({ claimedAt }) => claimedAt)}::timestamptz[],
        ${all.map(({ outcome }) => outcome.status)}::integer[],
        ${all.map(({ outcome }) => JSON.stringify(outcome.body))}::text[]
      ) as stored (scope, key, claimed_at, status, answer))
    update idempotency set status = stored.status, answer = stored.answer::jsonb
    from stored, unhurried
    where idempotency.scope = stored.scope and idempotency.key = stored.key
      and ${isOwnClaim(sql`stored.claimed_at`)}`.execute(db)
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
