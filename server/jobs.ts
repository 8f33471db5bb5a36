import { every } from './every.ts'
import { emptyClosedDays } from './features/appointments/closed-days.ts'
import { deleteDue } from './features/deletion/delete-due.ts'
import { removeStale } from './features/housekeeping.ts'
import { startOutboxWorker } from './features/outbox-worker.ts'
import { reconcileDue } from './features/payments/reconcile.ts'
import { remindDue } from './features/reminders/remind-due.ts'
import { watchConversions } from './features/session/code-watch.ts'
import { tellWatchers } from './features/watch/tell-watchers.ts'
import { chooseMessengers } from './outside/choose-messengers.ts'
import type { OutgoingMessage } from './outside/messenger.ts'
import type { PaymentProviders } from './outside/payment-provider.ts'
import type { Services } from './services.ts'

export type Jobs = {
  /** Something was written: what is to be sent goes out at once. */
  nudge(): void
  /** Settles when what is under way has come to its end. */
  stop(): Promise<void>
}

/** What the server does unasked. Any number of processes may do it: each piece of work is claimed by one of them. */
export function startJobs(
  services: Services,
  providers: PaymentProviders,
  tell: (message: OutgoingMessage) => void = () => undefined,
): Jobs {
  const { config, clock, logger, db } = services
  const outbox = startOutboxWorker(services, chooseMessengers(config, clock, tell))
  const jobs = [
    every(5, { name: 'payments', logger, run: () => reconcileDue(services, providers) }),
    every(20, { name: 'watches', logger, run: () => tellWatchers(services) }),
    every(60, { name: 'closed-days', logger, run: () => emptyClosedDays(services) }),
    every(300, { name: 'codes', logger, run: () => watchConversions(services) }),
    every(300, { name: 'reminders', logger, run: () => remindDue(services) }),
    every(3_600, { name: 'deletions', logger, run: () => deleteDue(services) }),
    every(3_600, { name: 'housekeeping', logger, run: () => removeStale(db) }),
  ]
  return {
    nudge: () => outbox.nudge(),
    async stop() {
      await Promise.all([outbox, ...jobs].map(job => job.stop()))
    },
  }
}
