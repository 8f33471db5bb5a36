import { digestOfForm } from '#contract/save-digest.ts'
import { type Handlers, type OutdatedAnswers, refuse } from '#server/calls/call.ts'
import { type Services, withTransaction } from '#server/calls/services.ts'
import { applicationData, formOf } from './application-data.ts'
import { createApplication } from './create-application.ts'
import { listApplications } from './list-applications.ts'
import { findOwnApplication } from './own-application.ts'
import { isSaveOutdated, saveForm } from './save-data.ts'

type ApplicationHandlers = Pick<
  Handlers,
  'createApplication' | 'listApplications' | 'saveData' | 'readData' | 'confirmData'
>

/** The handlers of API07–API11; `ApplicationHandlers` has their names in the order of these numbers. */
export function applicationHandlers(services: Services): ApplicationHandlers {
  const { db, config, epoch, secrets } = services
  return {
    async createApplication({ trx, caller, transport }) {
      const created = await createApplication(withTransaction(services, trx), caller.applicantId)
      if ('refused' in created) return created
      const { id, number: applicationNumber, isNew } = created
      if (isNew) return { data: { id, applicationNumber } }
      transport.skipMetrics()
      return { data: { id, applicationNumber, isExisting: true } }
    },

    async listApplications({ caller, query }) {
      const applicantId = query.applicantId ?? caller.applicantId
      if (applicantId !== caller.applicantId) return refuse('not-found')
      // Taken before the read, so a booking that the list lacks has a later `confirmedAt`, unless its transaction was
      // open at this time: `confirmedAt` is the start of the transaction.
      const time = services.clock.now().toISOString()
      return { data: await listApplications(services, caller.applicantId), epoch, time }
    },

    async readData({ caller, params }) {
      const row = await findOwnApplication(db, caller, params.id)
      return row ? { data: applicationData(row, { caller, config, epoch, secrets }) } : refuse('not-found')
    },

    /** `submit` checks the complete form; the state changes only in `confirmData`. */
    async saveData(call) {
      const saved = await saveForm(
        withTransaction(services, call.trx),
        call,
        call.body.draft ? 'draft' : 'submit',
      )
      if ('refused' in saved) return saved
      const { version, state } = saved
      // The phone compares the digest with its own, to see that the server has the same answers (D61).
      const digest = await digestOfForm(formOf(services, saved, call.caller), version)
      return { data: { version, currentState: state, epoch, digest } }
    },

    async confirmData(call) {
      const saved = await saveForm(withTransaction(services, call.trx), call, 'confirm')
      if ('refused' in saved) return saved
      const { version, state } = saved
      return { data: { currentState: state, version, epoch } }
    },
  }
}

/**
 * A retry does not get an outdated answer, but runs the call. `confirmData` is not here: a later save does not change
 * the state of the application, which its answer tells.
 */
export const outdatedApplicationAnswers: OutdatedAnswers = {
  saveData: ({ db, ...call }, storedAnswer) => isSaveOutdated(db, call, storedAnswer),
}
