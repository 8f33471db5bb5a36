import { runEvery } from './run-every.ts'
import { emptyClosedDays } from '#server/features/appointments/closed-days.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { eraseClosedApplications } from '#server/features/deletion/erase-applications.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { startOutboxWorker } from '#server/features/messages/outbox-worker.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { watchCodeUse } from '#server/features/session/watch-code-use.ts'
import { notifyWatchers } from '#server/features/watch/notify-watchers.ts'
import { chooseMessengers } from '#server/integrations/choose-messengers.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'

export type Jobs = {
  /** Sends the pending messages now, after a write. */
  wakeOutbox(): void
  /** Stops all jobs. Resolves when the running jobs have ended. */
  stop(): Promise<void>
}

/**
 * Starts the server's periodic jobs and the sending of messages. Any number of processes may start them: one process claims
 * each run of a job, and each message (D95). With JOBS=off nothing starts, so this process sends no message (D107).
 */
export function startJobs(
  services: Services,
  providers: PaymentProviders,
  printMessage: (message: OutgoingMessage) => void = () => undefined,
): Jobs {
  const { config, clock, logger, db } = services
  if (!config.jobs) return { wakeOutbox: () => undefined, stop: async () => undefined }
  const outbox = startOutboxWorker(services, chooseMessengers(config, clock, printMessage))
  // Intervals in seconds.
  const jobs = [
    runEvery(5, { name: 'payments', logger, db, run: () => reconcileDue(services, providers) }),
    runEvery(20, { name: 'watches', logger, db, run: () => notifyWatchers(services) }),
    runEvery(60, { name: 'closed-days', logger, db, run: () => emptyClosedDays(services) }),
    runEvery(300, { name: 'codes', logger, db, run: () => watchCodeUse(services) }),
    runEvery(300, { name: 'reminders', logger, db, run: () => remindDue(services) }),
    runEvery(3_600, { name: 'deletions', logger, db, run: () => deleteDue(services) }),
    runEvery(3_600, { name: 'housekeeping', logger, db, run: () => deleteExpiredRows(db) }),
    runEvery(3_600, {
      name: 'closed-applications',
      logger,
      db,
      run: () => eraseClosedApplications(services),
    }),
    runEvery(3_600, { name: 'accounts', logger, db, run: () => eraseAccounts(services) }),
  ]
  return {
    wakeOutbox: () => outbox.wake(),
    async stop() {
      await Promise.all([outbox, ...jobs].map(job => job.stop()))
    },
  }
}
