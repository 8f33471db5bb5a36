import { createHmac } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { batchCalls } from '#server/database/batch.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Refusal } from '#server/calls/call.ts'

/** What a call came to: its status and its body, as they go out. */
export type CallOutcome = { status: number; body: Record<string, unknown> }

/** One intent of one applicant: the key, where it holds, and what exactly was asked. */
export type Intent = {
  scope: string
  key: string
  fingerprint: string
  /** A query that has a row while who asks is signed in, looked at together with the key; unset: that is known. */
  isSignedIn?: RawBuilder<unknown>
}

/**
 * Runs an intent once (D13): the same key and request get the same answer for seven days, refusals included.
 * An answer of 500 or more is no answer: the next try runs again.
 */
export type RunOnce = (intent: Intent, run: () => Promise<CallOutcome>) => Promise<CallOutcome | Refusal>

/** A call that has not answered for so long has died with its process; a retry may run it again. */
const crashedAfterSeconds = 60

/** For all that one process answers: what it has to keep at one moment is kept in one statement. */
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
 * The same for the same request, however its keys are ordered; the language of the words is no part of it. Under a
 * secret, since a request can hold a wallet's PIN: a bare hash of four digits is the digits.
 */
export function fingerprintOf(
  parts: { params: unknown; query: unknown; body: unknown },
  secret: Uint8Array,
): string {
  const text = JSON.stringify(parts, (key, value: unknown) => (key === 'lg' ? undefined : sortKeys(value)))
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** A UUID, or whatever other short word a client uses for one. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:-]{8,100}$/.test(value)
}

type Claim =
  | { kind: 'claimed'; claimedAt: Date }
  | { kind: 'answered'; outcome: CallOutcome }
  | { kind: 'refused'; refusal: Refusal }

/**
 * A claim does not wait for the disk: without the effect, whose commit comes after it and brings it there, it means
 * nothing, and a lost one lets the next try run at once.
 */
async function claimIntent(db: Kysely<Schema>, intent: Intent): Promise<Claim> {
  const { scope, key, fingerprint, isSignedIn = sql`select` } = intent
  const { rows } = await sql<{ claimed_at: Date | null; alive: boolean }>`
    with unhurried as (select set_config('synchronous_commit', 'off', true)),
    alive as (${isSignedIn}),
    claimed as (
      insert into idempotency (scope, key, fingerprint)
      select ${scope}, ${key}, ${fingerprint} from unhurried where exists (select from alive)
      on conflict (scope, key) do update
        set fingerprint = excluded.fingerprint, status = null, answer = null, created_at = now()
        where idempotency.created_at < now() - interval '7 days' or (idempotency.status is null
          and idempotency.fingerprint = excluded.fingerprint
          and idempotency.created_at < now() - make_interval(secs => ${crashedAfterSeconds}))
      returning created_at)
    select (select created_at from claimed) as claimed_at, exists (select from alive) as alive`.execute(db)
  const [claim] = rows
  if (claim?.claimed_at) return { kind: 'claimed', claimedAt: claim.claimed_at }
  if (!claim?.alive) return { kind: 'refused', refusal: { refused: 'not-signed-in' } }
  return readAnswer(db, intent)
}

async function readAnswer(db: Kysely<Schema>, { scope, key, fingerprint }: Intent): Promise<Claim> {
  const row = await db
    .selectFrom('idempotency')
    .select(['fingerprint', 'status', 'answer'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
  // Gone meanwhile: the other call failed, and this one comes too early to know.
  if (!row) return { kind: 'refused', refusal: { refused: 'in-flight' } }
  if (row.fingerprint !== fingerprint) return { kind: 'refused', refusal: { refused: 'key-reused' } }
  if (row.status === null || row.answer === null)
    return { kind: 'refused', refusal: { refused: 'in-flight' } }
  return { kind: 'answered', outcome: { status: row.status, body: row.answer } }
}

type OwnClaim = { intent: Intent; claimedAt: Date }
type StoredAnswer = OwnClaim & { outcome: CallOutcome }

async function runAndStore(
  { db, storeAnswer }: { db: Kysely<Schema>; storeAnswer: (kept: StoredAnswer) => Promise<void> },
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

/** A refusal that brings the applicant's own data is not kept: it changed nothing, and is given anew as it then is. */
function isStorable({ status, body }: CallOutcome): boolean {
  const brought = Object.keys(Object(body['data'])).filter(name => name !== 'statusCode')
  return status < 400 || (status < 500 && brought.length === 0)
}

/**
 * Only the process's own claims: a later one may have taken over. They do not wait for the disk, where their effects
 * are: an answer that is lost with the database is one that its process did not come to keep. Begins with a comment
 * and so is planned anew each time: a plan made while the table was small would read all of it for a minute.
 */
async function storeAnswers(db: Kysely<Schema>, all: readonly StoredAnswer[]): Promise<void> {
  await sql`/* planned anew */
    with unhurried as (select set_config('synchronous_commit', 'off', true)),
    kept as (
      select * from unnest(
        ${all.map(({ intent }) => intent.scope)}::text[],
        ${all.map(({ intent }) => intent.key)}::text[],
        ${all.map(({ claimedAt }) => claimedAt)}::timestamptz[],
        ${all.map(({ outcome }) => outcome.status)}::integer[],
        ${all.map(({ outcome }) => JSON.stringify(outcome.body))}::text[]
      ) as kept (scope, key, claimed_at, status, answer))
    update idempotency set status = kept.status, answer = kept.answer::jsonb
    from kept, unhurried
    where idempotency.scope = kept.scope and idempotency.key = kept.key
      and ${isOwnClaim(sql`kept.claimed_at`)}`.execute(db)
}

async function deleteClaim(db: Kysely<Schema>, { intent, claimedAt }: OwnClaim): Promise<void> {
  const { scope, key } = intent
  await sql`
    delete from idempotency
    where scope = ${scope} and key = ${key} and ${isOwnClaim(sql`${claimedAt}`)}`.execute(db)
}

/** Microseconds are lost in a Date, hence the span. */
function isOwnClaim(claimedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`idempotency.status is null and date_trunc('milliseconds', idempotency.created_at) = ${claimedAt}`
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
