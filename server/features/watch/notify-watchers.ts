import { type Kysely, sql, type Transaction } from 'kysely'
import { maxNotifications } from '#contract/watch.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { findOffice } from '#server/features/offices/find-office.ts'
import { countFreePlaces, type FreeDay } from '#server/features/offices/free-places.ts'
import type { Services } from '#server/calls/services.ts'
import { announceFreeDay } from './announce-free-day.ts'
import { isLive } from './watch-rows.ts'

/** Minutes that a notified applicant has before the next watch in the queue is notified of the same place. */
const minMinutesBetweenNotices = 30
/** For each office in one round; the next round continues. */
const maxNoticesPerRound = 100

/**
 * Notifies applicants whose watch matches a place that became free (F10): for each place the first in the queue, and
 * the next one when the place is still free after 30 minutes. Every server runs this job; one of them claims an office.
 */
export async function notifyWatchers({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const offices = await db
    .selectFrom('watch')
    .select('office_id')
    .where('ended_at', 'is', null)
    .distinct()
    .execute()
  for (const { office_id: officeId } of offices)
    await retryOnConflict(() => db.transaction().execute(trx => notifyAtOffice(trx, officeId, clock.now())))
}

async function notifyAtOffice(trx: Transaction<Schema>, officeId: number, now: Date): Promise<void> {
  if (!(await claim(trx, officeId))) return
  await endSatisfied(trx, officeId)
  const office = await findOffice(trx, String(officeId))
  if (office === undefined) return
  const free = await countFreePlaces(trx, office, now)
  const first = free[0]?.day ?? null
  await clearExpired(trx, officeId, first)
  if (first === null) return
  let outstanding = await countOutstanding(trx, officeId)
  for (const watch of await listWaiting(trx, officeId, first)) {
    if (outstanding >= countBefore(free, watch.earlier_than)) continue
    await notify(trx, watch, first)
    outstanding += 1
  }
}

/** The lock blocks changes of the office's row until the round ends; bookings do not wait for it. */
async function claim(trx: Transaction<Schema>, officeId: number): Promise<boolean> {
  const claimed = await trx
    .selectFrom('office')
    .select('id')
    .where('id', '=', officeId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return claimed !== undefined
}

async function endSatisfied(trx: Transaction<Schema>, officeId: number): Promise<void> {
  await sql`
    update watch set ended_at = now()
    where office_id = ${officeId} and ended_at is null and not ${isLive}`.execute(trx)
}

/** When the place of a notice is gone, the applicant is notified again when another place becomes free. */
async function clearExpired(trx: Transaction<Schema>, officeId: number, first: string | null): Promise<void> {
  await sql`
    update watch set told_of = null
    where office_id = ${officeId} and ended_at is null and told_of is not null
      and (${first}::date is null or earlier_than <= ${first}::date)`.execute(trx)
}

/** Number of applicants who were notified recently and may still book a place. */
async function countOutstanding(trx: Transaction<Schema>, officeId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from watch
    where office_id = ${officeId} and told_of is not null
      and (ended_at is null or told = ${maxNotifications})
      and told_at > now() - ${minMinutesBetweenNotices} * interval '1 minute'`.execute(trx)
  return rows[0]?.count ?? 0
}

type WaitingWatch = {
  id: string
  application_id: string
  office_id: number
  earlier_than: string | null
  told: number
}

/** The watches, in queue order, that were not notified of this day or an earlier one. */
function listWaiting(trx: Transaction<Schema>, officeId: number, first: string): Promise<WaitingWatch[]> {
  return trx
    .selectFrom('watch')
    .select(['id', 'application_id', 'office_id', 'earlier_than', 'told'])
    .where('office_id', '=', officeId)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(earlier_than is null or earlier_than > ${first}::date)`)
    .where(sql<boolean>`(told_of is null or told_of > ${first}::date)`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(sql.lit(maxNoticesPerRound))
    .execute()
}

function countBefore(free: readonly FreeDay[], day: string | null): number {
  return free.reduce((sum, each) => (day === null || each.day < day ? sum + each.places : sum), 0)
}

async function notify(trx: Transaction<Schema>, watch: WaitingWatch, day: string): Promise<void> {
  const noticeCount = watch.told + 1
  await announceFreeDay(trx, { ...watch, noticeCount, day })
  await recordNotified(trx, { id: watch.id, noticeCount, day })
}

/** Ends the watch after the last of its notices. */
async function recordNotified(
  db: Kysely<Schema>,
  { id, noticeCount, day }: { id: string; noticeCount: number; day: string },
): Promise<void> {
  await db
    .updateTable('watch')
    .set({
      told: noticeCount,
      told_of: day,
      told_at: sql<Date>`now()`,
      ended_at: noticeCount < maxNotifications ? null : sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}
