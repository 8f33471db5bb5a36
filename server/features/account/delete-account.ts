import { type Kysely, sql, type Transaction } from 'kysely'
import { homeTimeZone, type Language } from '#contract/codes.ts'
import type { RefreshAnswer } from '#contract/session.ts'
import { dayIn, showDate } from '#contract/dates.ts'
import { keptDays } from '#contract/retention.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Call, type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import { refuseForSeconds } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { readNewestCaller } from '#server/features/session/refresh.ts'
import { recordEvent } from '#server/features/session/security-events.ts'
import { describeSession } from '#server/features/session/session-handlers.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { secondsToNextAnnouncement } from './change-limit.ts'
import { notify } from './contact-change.ts'
import { hasProof } from './contact-proof.ts'
import { endSessions, listContacts, lockApplicants } from './contact-rows.ts'

/**
 * Announces the deletion of the account (D112): all contacts get a message, and the other sessions end. Nothing is erased
 * before the announced time, so a sign-in until then can keep the account as it was. A repeated call answers the same time.
 */
export async function deleteAccount(
  services: Services,
  { caller, language, transport: { address } }: Call<'deleteAccount'>,
): Promise<{ data: { deletesAt: string } } | Refusal> {
  return retryOnConflict(() =>
    services.db.transaction().execute(async trx => {
      const [locked] = await lockApplicants(trx, [caller.applicantId])
      if (locked === undefined) return refuse('not-signed-in')
      const announced = await readDeletionTime(trx, caller)
      if (announced) return { data: { deletesAt: announced.toISOString() } }
      if (!(await hasProof(trx, caller))) return refuse('proof-needed')
      const seconds = await secondsToNextAnnouncement(trx, services, caller.applicantId)
      if (seconds > 0) return refuseForSeconds(seconds)
      const deletesAt = await announce(trx, services, { caller, language })
      const subject = { applicantId: caller.applicantId }
      await recordEvent(trx, services, { kind: 'deletion-announced', subject, address })
      return { data: { deletesAt: deletesAt.toISOString() } }
    }),
  )
}

/** Cancels the deletion of the account. This call needs no fresh code, because keeping an account harms no person. */
export async function keepAccount(
  services: Services,
  { caller, language, transport: { address } }: Call<'keepAccount'>,
): Promise<{ data: RefreshAnswer } | Refusal> {
  const { applicantId } = caller
  const newest = await retryOnConflict(() =>
    services.db.transaction().execute(async trx => {
      const [locked] = await lockApplicants(trx, [applicantId])
      // The job has erased the account while this call waited for the lock.
      if (locked === undefined) return undefined
      await cancelDeletion(trx, services, { applicantId, language, address })
      return readNewestCaller(trx, caller)
    }),
  )
  return newest ? { data: await describeSession(services, newest) } : refuse('not-signed-in')
}

/** Keeps the account and notifies all its contacts; does nothing when no deletion is announced. The account must be locked. */
export async function cancelDeletion(
  trx: Transaction<Schema>,
  services: Services,
  { applicantId, language, address }: { applicantId: string; language: Language; address: string },
): Promise<void> {
  const announced = await readDeletionTime(trx, { applicantId })
  if (!announced) return
  await trx.updateTable('applicant').set({ deletion_at: null }).where('id', '=', applicantId).execute()
  await recordEvent(trx, services, { kind: 'deletion-cancelled', subject: { applicantId }, address })
  const t = translateTo(language)
  await notifyAll(trx, {
    applicantId,
    cause: `account-kept:${applicantId}:${announced.getTime()}`,
    text: t('accountDeletion.sms.kept'),
    subject: t('accountDeletion.keptSubject'),
    language,
  })
}

/** Null when no deletion is announced; undefined when the account is gone. */
async function readDeletionTime(
  db: Kysely<Schema>,
  { applicantId }: Pick<Caller, 'applicantId'>,
): Promise<Date | null | undefined> {
  const row = await db
    .selectFrom('applicant')
    .select('deletion_at')
    .where('id', '=', applicantId)
    .executeTakeFirst()
  return row?.deletion_at
}

async function announce(
  trx: Transaction<Schema>,
  services: Services,
  { caller: { applicantId, sessionId }, language }: { caller: Caller; language: Language },
): Promise<Date> {
  const { at } = await trx
    .updateTable('applicant')
    .set({ deletion_at: deletionTime })
    .where('id', '=', applicantId)
    .returning(sql<Date>`deletion_at`.as('at'))
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('session')
    .set({ proof_kind: null, proof_at: null })
    .where('id', '=', sessionId)
    .execute()
  await endSessions(trx, applicantId, { except: sessionId })
  await notifyOfDeletion(trx, services, { applicantId, language, at })
  return at
}

/**
 * Gives all announced deletions the full wait from now, and notifies the contacts again: after a restore from a backup the
 * database does not know which owners have kept their account since. Returns the number of these accounts.
 */
export async function postponeDeletions(
  trx: Transaction<Schema>,
  services: Pick<Services, 'config'>,
): Promise<number> {
  const postponed = await trx
    .updateTable('applicant')
    .set({ deletion_at: deletionTime })
    .where('deletion_at', 'is not', null)
    .returning(['id as applicantId', 'language', sql<Date>`deletion_at`.as('at')])
    .execute()
  for (const each of postponed) await notifyOfDeletion(trx, services, each)
  return postponed.length
}

/** SQL for the time of a deletion that is announced now. */
const deletionTime = sql<Date>`now() + make_interval(days => ${sql.lit(keptDays.deletedAccounts)})`

async function notifyOfDeletion(
  trx: Transaction<Schema>,
  { config }: Pick<Services, 'config'>,
  { applicantId, language, at }: { applicantId: string; language: Language; at: Date },
): Promise<void> {
  const t = translateTo(language)
  const day = showDate(dayIn(homeTimeZone, at))
  await notifyAll(trx, {
    applicantId,
    cause: `account-deletion:${applicantId}:${at.getTime()}`,
    text: t('accountDeletion.sms.asked', { day, link: config.publicOrigin }),
    subject: t('accountDeletion.askedSubject', { day }),
    language,
  })
}

type DeletionNotice = {
  applicantId: string
  cause: string
  text: string
  subject: string
  language: Language
}

/** Notifies every contact of the account, so that no thief of one of them deletes or keeps the account unseen. */
async function notifyAll(trx: Kysely<Schema>, { cause, ...notice }: DeletionNotice): Promise<void> {
  for (const contact of await listContacts(trx, notice.applicantId))
    await notify(trx, contact, { ...notice, key: `${cause}:${contact.kind}` })
}
