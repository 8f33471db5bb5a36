import { sql } from 'kysely'
import { textCell } from './cells.ts'
import { type CommandContext, done, refused, type OpenedFile, type Outcome, pluralise } from './command.ts'
import { readTable } from './read-table.ts'

const columns = { message: textCell(300) }

/**
 * Compares the messages that a gateway has sent with those here (D107). Codes stay as they are. The other messages that
 * wait here or have failed count as sent. Failed ones too, because `release-jobs --without-messages` may have marked a
 * message as failed before the list came, and `messages --resend` would send it a second time. Messages that are
 * unknown here may have been stored in the time that a restore has lost.
 */
export async function recordSentByGateway({ trx }: CommandContext, file: OpenedFile): Promise<Outcome> {
  const table = readTable(file, columns)
  if (table.kind === 'faults') return refused(...table.faults)
  const ids = [...new Set(table.rows.map(({ values }) => comparable(values.message)))]
  const { rows: known } = await sql<{ id: string }>`
    select given.id from unnest(${ids}::text[]) as given (id) join outbox on ${comparableKey} = given.id`.execute(
    trx,
  )
  const { rows: recorded } = await sql`
    update outbox set sent_at = now(), failed_at = null, claimed_until = null, message = '{}'::jsonb
    where sent_at is null and priority > 0 and ${comparableKey} = any (${ids}::text[])
    returning id`.execute(trx)
  const unknown = ids.filter(id => !known.some(each => each.id === id))
  return done(
    `${pluralise(ids.length, 'message')} in the file: ${recorded.length} waited or had failed here and count as sent now, ` +
      `${known.length - recorded.length} are known and stay as they are, ${unknown.length} are unknown here.`,
    ...(unknown.length > 0 ? [`Unknown, by cause: ${countCauses(unknown)}.`] : []),
  )
}

/**
 * Returns an id of the file in the form of `comparableKey`. A Message-ID has the key between `<` and `@`, with `-` in place of
 * each character that is not allowed there.
 */
function comparable(id: string): string {
  return id.replace(/^<|@[^@]*>?$/g, '').replace(/[^\w.-]/g, '-')
}

const comparableKey = sql<string>`regexp_replace(outbox.key, '[^A-Za-z0-9_.-]', '-', 'g')`

/** A key begins with the word for its cause: `payment:…`, which `comparable` has made `payment-…`. */
function countCauses(ids: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const id of ids) {
    const [cause = ''] = /^[a-z]+(?:-[a-z]+)*(?=-)/.exec(id) ?? ['other']
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return [...counts].map(([cause, count]) => `${cause} ${count}`).join(', ')
}
