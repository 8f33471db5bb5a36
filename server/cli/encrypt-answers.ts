import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import type { WithDataKeys } from '#server/config/data-keys.ts'
import { newestPrefix, rewrap } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'

const batchRows = 2_000

/** What sorts before each pair of scope and key. */
export const beforeAllAnswers = JSON.stringify(['', ''])

const ScopeAndKey = z.tuple([z.string(), z.string()])

/**
 * Wraps the next encrypted answers of payment calls under the newest key, so that a retry of such a call can be answered when
 * the previous key is gone. `after`, `last`: scope and key as JSON; `last` is undefined when no row was left. An answer that is
 * not encrypted stays as it is: a job deletes it after seven days.
 */
export async function encryptAnswers(
  trx: Kysely<Schema>,
  { secrets }: WithDataKeys,
  after: string,
): Promise<{ changed: number; last: string | undefined }> {
  const { ring } = secrets.dataKeys
  const [scope, key] = ScopeAndKey.parse(JSON.parse(after))
  // No lock: most of these rows have no encrypted answer, and calls wait for a row that is locked.
  const { rows } = await sql<{ scope: string; key: string; sealed: string | null }>`
    select scope, key, answer ->> 'sealed' as sealed from idempotency
    where (scope, key) > (${scope}, ${key}) order by scope, key limit ${sql.lit(batchRows)}`.execute(trx)
  const changes = rows.flatMap(({ sealed, ...row }) =>
    sealed === null || sealed.startsWith(newestPrefix(ring))
      ? []
      : [{ ...row, sealed, newest: rewrap(ring, sealed) }],
  )
  await sql`
    update idempotency set answer = jsonb_build_object('sealed', given.newest)
    from unnest(${changes.map(each => each.scope)}::text[], ${changes.map(each => each.key)}::text[],
      ${changes.map(({ sealed }) => sealed)}::text[], ${changes.map(({ newest }) => newest)}::text[])
      as given (scope, key, sealed, newest)
    where idempotency.scope = given.scope and idempotency.key = given.key
      and idempotency.answer ->> 'sealed' = given.sealed`.execute(trx)
  const last = rows.at(-1)
  return { changed: changes.length, last: last && JSON.stringify([last.scope, last.key]) }
}
