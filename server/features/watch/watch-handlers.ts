import type { Language } from '#contract/codes.ts'
import type { AnswerInput } from '#contract/endpoints.ts'
import { type ApplicationRow, findOwnApplication } from '#server/features/applications/own-application.ts'
import { describeOffice } from '#server/features/appointments/read-appointment.ts'
import { findOffice, type FoundOffice } from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Handlers, refuse } from '#server/calls/call.ts'
import { createRateLimit } from '#server/calls/rate-limit.ts'
import { type Services, type TransactionServices, withTransaction } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { bookableStates, endWatch, findLiveWatch } from './watch-rows.ts'

type WatchHandlers = Pick<Handlers, 'readWatch' | 'startWatch' | 'stopWatch'>

/**
 * Watches that one applicant may begin, because each adds a row. Ending one, or asking again for it, does not count
 * (D97).
 */
const watchRate = { burst: 20, perMinute: 20 / 60 }

/** Handlers of the watch: a request to be notified of a free place (F10). The place is not reserved. */
export function watchHandlers(services: Services): WatchHandlers {
  const { db } = services
  const limit = createRateLimit(services.clock, watchRate)
  return {
    async readWatch({ caller, params, language }) {
      const application = await findOwnApplication(db, caller, params.id)
      return application ? answer(services, application.id, language) : refuse('not-found')
    },
    async startWatch({ trx, caller, params, language, body }) {
      const application = await findOwnApplication(trx, caller, params.id)
      if (application === undefined) return refuse('not-found')
      if (!bookableStates.includes(application.state)) return refuse('wrong-state')
      const office = await findOffice(trx, body.officeId)
      if (office === undefined) return refuse('invalid', { errors: [unknownOffice(language)] })
      const inTransaction = withTransaction(services, trx)
      if ((await findLiveWatch(trx, application.id))?.officeId !== office.id) {
        const refused = await limit(caller.applicantId, () =>
          replaceWatch(inTransaction, { caller, application, office }),
        )
        if (refused) return refused
      }
      return answer(inTransaction, application.id, language)
    },
    async stopWatch({ trx, caller, params }) {
      const application = await findOwnApplication(trx, caller, params.id)
      if (application === undefined) return refuse('not-found')
      await endWatch(trx, application.id)
      return { data: { watch: null } }
    },
  }
}

function unknownOffice(language: Language) {
  return { field: 'officeId', message: translateTo(language)('appointment.unknownOffice') }
}

async function answer(
  { db }: Services,
  applicationId: string,
  language: Language,
): Promise<AnswerInput<'readWatch'>> {
  const watch = await findLiveWatch(db, applicationId)
  if (watch === undefined) return { data: { watch: null } }
  const { officeId, before, told } = watch
  const { nameOffice: office } = await describeOffice(db, officeId, language)
  return { data: { watch: { officeId: String(officeId), office, before, told } } }
}

type WatchRequest = { caller: Caller; application: ApplicationRow; office: FoundOffice }

/** Replaces the watch of the application. The new watch is at the end of the queue of its office. */
async function replaceWatch(
  { db, clock }: TransactionServices,
  { caller, application, office }: WatchRequest,
): Promise<void> {
  const [firstFree = null] = await listFreeDays(db, office, {
    applicantId: caller.applicantId,
    applicationId: application.id,
    now: clock.now(),
  })
  const booked = await db
    .selectFrom('appointment')
    .select('starts_at')
    .where('application_id', '=', application.id)
    .where('state', '=', 'CONFIRMED')
    .executeTakeFirst()
  const days = [firstFree, booked?.starts_at?.slice(0, 10) ?? null].filter(day => day !== null)
  await endWatch(db, application.id)
  await db
    .insertInto('watch')
    .values({
      application_id: application.id,
      office_id: office.id,
      earlier_than: days.toSorted()[0] ?? null,
    })
    .execute()
}
