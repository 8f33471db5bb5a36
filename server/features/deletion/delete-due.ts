import { type Kysely, sql, type Transaction } from 'kysely'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn, showDate } from '#contract/dates.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { applicationColumns, type ApplicationRow } from '#server/features/applications/own-application.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { deleteApplication, hasPayment } from './delete-application.ts'
import { daysAfter, type DeletionStep, nextDeletionStep } from './deletion-plan.ts'
import { deletionFacts, type DeletionRow, selectDeletionRows } from './read-facts.ts'

/** The job runs in the daytime of the home time zone only, because a warning is sent as soon as it is stored. */
const jobHours = { from: '08:00', until: '20:00' }

/**
 * Warns applicants of deletions, and deletes applications only after the last warning (F12). One transaction locks an
 * application and stores its messages, so a crash sends no warning twice.
 */
export async function deleteDue(services: Services): Promise<void> {
  const now = services.clock.now()
  const time = localDateTime(homeTimeZone, now).slice(11, 16)
  if (time < jobHours.from || time >= jobHours.until) return
  const candidates = await listCandidates(services.db, now)
  for (let first = 0; first < candidates.length; first += batchSize)
    for (const id of await filterDue(services.db, candidates.slice(first, first + batchSize), now))
      await warnOrDelete(services, id)
}

/** Maximum number of applications that one call of `filterDue` reads. */
const batchSize = 1_000

/**
 * Returns the ids of all applications that are old enough for a first warning, and of some younger ones. The comment
 * at the start of the SQL makes PostgreSQL plan it at each call, for the times of this call (preparing-client.ts).
 */
async function listCandidates(db: Kysely<Schema>, now: Date): Promise<string[]> {
  const rows = await sql<{ id: string }>`/* not prepared (D95) */
    select id from application
    where state in ('NEW', 'DATA_SAVED') and created_at < ${now}::timestamptz - interval '15 days'
    union all
    select id from application
    where state in ('PAYMENT_DONE', 'APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED', 'APPOINTMENT_CANCELED',
        'READY_TO_RESCHEDULE') and created_at < ${now}::timestamptz - interval '350 days'`.execute(db)
  return rows.rows.map(({ id }) => id)
}

/** Returns the ids of the applications whose next step is due. `warnOrDelete` decides again under the lock. */
async function filterDue(db: Kysely<Schema>, ids: readonly string[], now: Date): Promise<string[]> {
  const today = dayIn(homeTimeZone, now)
  const rows = await selectDeletionRows(db)
    .select('application.id')
    .where(sql<boolean>`application.id = any (${ids}::uuid[])`)
    .execute()
  return rows.filter(row => nextDeletionStep(deletionFacts(row), today).kind !== 'wait').map(({ id }) => id)
}

async function warnOrDelete(services: Services, id: string): Promise<void> {
  const today = dayIn(homeTimeZone, services.clock.now())
  await retryOnConflict(() =>
    services.db.transaction().execute(async trx => {
      const application = await lockIfFree(trx, id)
      // An open payment may still succeed.
      if (application === undefined || (await hasPayment(trx, id, ['IN_PROGRESS']))) return
      const row = await selectDeletionRows(trx).where('application.id', '=', id).executeTakeFirstOrThrow()
      const step = nextDeletionStep(deletionFacts(row), today)
      if (step.kind === 'warn') await storeWarning(trx, application, step)
      if (step.kind === 'delete') await deleteOrPostpone(trx, application, { ...row, today })
    }),
  )
}

/**
 * Deletes an application whose day has come. Warns again and postpones the deletion to tomorrow when the last warning
 * still waits to be sent, because a gateway is down, a budget is spent or the jobs were held, and when it was sent only
 * on the announced day or later: the applicant had to act before. Postpones at most `maxPostponedDays` times.
 */
async function deleteOrPostpone(
  trx: Transaction<Schema>,
  application: ApplicationRow,
  { deletion_day: day, deletion_cause: cause, today }: DeletionRow & { today: string },
): Promise<void> {
  const { id } = application
  if (day === null || cause === null || !(await isLastWarningLate(trx, id, day)))
    return deleteApplication(trx, id)
  await storeWarning(trx, application, {
    kind: 'warn',
    cause,
    warning: lastWarning,
    day: daysAfter(today, 1),
  })
}

/** The last warning goes out this number of days before the deletion. */
const lastWarning = 1
/** As long as a message is tried (`giveUpSeconds`): an applicant whom no message reaches does not stop the deletion. */
const maxPostponedDays = 5

/**
 * Whether no channel has sent the last warning before `day`, the announced day (YYYY-MM-DD), and one has sent it since
 * or may still send it. False when there is a last warning for the day `maxPostponedDays` earlier: then the deletion
 * has been postponed since that day.
 */
async function isLastWarningLate(trx: Transaction<Schema>, id: string, day: string): Promise<boolean> {
  const keysOf = (announcedDay: string) =>
    ['sms', 'email'].map(
      channel => `${warningKey(id, { day: announcedDay, warning: lastWarning })}:${channel}`,
    )
  const { rows } = await sql<{ late: boolean | null }>`
    select bool_and(sent_at is null or sent_at >= ${day}::timestamp at time zone ${homeTimeZone}) and bool_or(failed_at is null)
      and not exists (select from outbox where key = any (${keysOf(daysAfter(day, -maxPostponedDays))})) as late
    from outbox where key = any (${keysOf(day)})`.execute(trx)
  return rows[0]?.late === true
}

/** Undefined when another transaction has locked the application; the next round tries again. */
function lockIfFree(trx: Transaction<Schema>, id: string): Promise<ApplicationRow | undefined> {
  return trx
    .selectFrom('application')
    .select(applicationColumns)
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** The key of a warning without its channel. `isOutdated` reads the parts of the key. */
function warningKey(applicationId: string, { day, warning }: { day: string; warning: number }): string {
  return `deletion:${applicationId}:${day}:${warning}`
}

async function storeWarning(
  trx: Transaction<Schema>,
  application: ApplicationRow,
  { day, cause, warning }: Extract<DeletionStep, { kind: 'warn' }>,
): Promise<void> {
  const t = translateTo(application.language)
  const values = { number: application.number, day: showDate(day) }
  await notifyApplicant(trx, application, {
    key: warningKey(application.id, { day, warning }),
    kind: 'deletion-warning',
    sms: t(`deletion.${cause}.sms`, values),
    mail: { subject: t(`deletion.${cause}.subject`, values), text: t(`deletion.${cause}.mail`, values) },
  })
  await trx
    .updateTable('application')
    .set({ deletion_day: day, deletion_cause: cause, deletion_warned: warning })
    .where('id', '=', application.id)
    .execute()
}
