import { type Kysely, sql, type Transaction } from 'kysely'
import { maxNotifications } from '#contract/watch.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { findOffice } from '#server/features/offices/find-office.ts'
import { countPlaces, type FreeDay } from '#server/features/offices/free-places.ts'
import type { Services } from '#server/calls/services.ts'
import { notifyApplicantOfFreeDay } from './notify-of-free-day.ts'
import { isLive } from './watch-rows.ts'

/** Minutes that a notified applicant has to book before the job notifies the next applicant in the queue. */
const minutesToBook = 30
/** Limits the transaction: the next run of the job notifies further applicants of the same office. */
const maxWatchesPerOffice = 100

/**
 * Notifies applicants whose watch matches a place that became free (F10): in the order of the queue, one applicant for
 * each free place that was offered to no applicant in the last 30 minutes. The message names the first free day. One
 * process claims each run (D95), but runs of several processes may overlap when one takes long: a lock on the office's row
 * gives each queue to one of them.
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
  if (!(await claimOffice(trx, officeId))) return
  // An office that was made inactive by mistake keeps its queue.
  const office = await findOffice(trx, String(officeId))
  if (office === undefined) return
  await endInactive(trx, officeId)
  const { free, notBooked } = await countPlaces(trx, office, now)
  const firstFreeDay = free[0]?.day ?? null
  await forgetLostDays(trx, officeId, { firstFreeDay, firstDayNotBooked: notBooked[0]?.day ?? null })
  if (firstFreeDay === null) return
  let applicantsWithTime = await countApplicantsWithTime(trx, officeId, firstFreeDay)
  const offeredDay = firstOfferedDay(free, applicantsWithTime)
  if (offeredDay === undefined) return
  for (const watch of await listWaiting(trx, officeId, { firstFreeDay, offeredDay })) {
    if (applicantsWithTime >= countPlacesBefore(free, watch.earlier_than)) continue
    if (await notify(trx, watch, firstFreeDay)) applicantsWithTime += 1
  }
}

/**
 * Locks the office's row until the transaction ends; bookings do not wait for this lock. False: another transaction has
 * locked the row.
 */
async function claimOffice(trx: Transaction<Schema>, officeId: number): Promise<boolean> {
  const claimed = await trx
    .selectFrom('office')
    .select('id')
    .where('id', '=', officeId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return claimed !== undefined
}

/** Ends each watch that is not active any more (`isLive`). */
async function endInactive(trx: Transaction<Schema>, officeId: number): Promise<void> {
  await sql`
    update watch set ended_at = now()
    where office_id = ${officeId} and ended_at is null and not ${isLive}`.execute(trx)
}

/**
 * Clears the notified day (`told_of`) of each watch that no free day matches now, so that the job notifies the
 * applicant again when another place becomes free. While a day that matches has a place that is not booked (only
 * reserved, or given up a short time ago), this waits until the time to book is over: otherwise an applicant who
 * reserves a place and gives it up again and again would cause a message each time, and use up the few messages of each
 * watch.
 */
async function forgetLostDays(
  trx: Transaction<Schema>,
  officeId: number,
  { firstFreeDay, firstDayNotBooked }: { firstFreeDay: string | null; firstDayNotBooked: string | null },
): Promise<void> {
  await sql`
    update watch set told_of = null
    where office_id = ${officeId} and ended_at is null and told_of is not null
      and (${firstFreeDay}::date is null or earlier_than <= ${firstFreeDay}::date)
      and (told_at <= now() - ${minutesToBook} * interval '1 minute'
        or ${firstDayNotBooked}::date is null or earlier_than <= ${firstDayNotBooked}::date)`.execute(trx)
}

/**
 * Counts the watches whose time to book has not passed, whose notified day is not lost (`forgetLostDays`), and for
 * which the first free day is early enough. A watch that its last notification ended counts too. A watch that ended
 * after fewer notifications does not: its applicant has booked or given it up, for example.
 */
async function countApplicantsWithTime(
  trx: Transaction<Schema>,
  officeId: number,
  firstFreeDay: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from watch
    where office_id = ${officeId} and told_of is not null
      and (ended_at is null or told = ${maxNotifications})
      and (earlier_than is null or earlier_than > ${firstFreeDay}::date)
      and told_at > now() - ${minutesToBook} * interval '1 minute'`.execute(trx)
  return rows[0]?.count ?? 0
}

type WaitingWatch = {
  id: string
  application_id: string
  office_id: number
  earlier_than: string | null
  told: number
}

/**
 * Returns the first day by which the free places are more than `applicantsWithTime`. A watch that matches only days
 * before this day waits, and must not keep the others of the queue waiting. Undefined: every free place is offered
 * already.
 */
function firstOfferedDay(free: readonly FreeDay[], applicantsWithTime: number): string | undefined {
  let places = 0
  return free.find(each => {
    places += each.places
    return places > applicantsWithTime
  })?.day
}

/**
 * Lists the watches, in queue order, to which a place can be offered, and that were not notified of the first free day or
 * an earlier one.
 */
function listWaiting(
  trx: Transaction<Schema>,
  officeId: number,
  { firstFreeDay, offeredDay }: { firstFreeDay: string; offeredDay: string },
): Promise<WaitingWatch[]> {
  return trx
    .selectFrom('watch')
    .select(['id', 'application_id', 'office_id', 'earlier_than', 'told'])
    .where('office_id', '=', officeId)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(earlier_than is null or earlier_than > ${offeredDay}::date)`)
    .where(sql<boolean>`(told_of is null or told_of > ${firstFreeDay}::date)`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(sql.lit(maxWatchesPerOffice))
    .execute()
}

/** Counts the free places before a day; null means on any day. */
function countPlacesBefore(free: readonly FreeDay[], day: string | null): number {
  return free.reduce((sum, each) => (day === null || each.day < day ? sum + each.places : sum), 0)
}

/**
 * Returns whether the applicant is notified: false when the applicant has stopped the watch since it was listed. Records first:
 * this locks the watch, so that an applicant who stops it now waits, and no message is stored after a stop.
 */
async function notify(trx: Transaction<Schema>, watch: WaitingWatch, day: string): Promise<boolean> {
  const notificationCount = watch.told + 1
  if (!(await recordNotified(trx, { id: watch.id, notificationCount, day }))) return false
  await notifyApplicantOfFreeDay(trx, { ...watch, notificationCount, day })
  return true
}

/**
 * Records a notification; the last one ends the watch. Returns false, and changes nothing, when the watch has ended.
 */
async function recordNotified(
  db: Kysely<Schema>,
  { id, notificationCount, day }: { id: string; notificationCount: number; day: string },
): Promise<boolean> {
  const recorded = await db
    .updateTable('watch')
    .set({
      told: notificationCount,
      told_of: day,
      told_at: sql<Date>`now()`,
      ended_at: notificationCount < maxNotifications ? null : sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return recorded !== undefined
}
