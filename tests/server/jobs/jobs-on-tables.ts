import { paymentsCommand } from '#server/cli/payments.ts'
import { refundsCommand } from '#server/cli/refunds.ts'
import type { Command } from '#server/cli/command.ts'
import { emptyClosedDays } from '#server/features/appointments/closed-days.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { eraseClosedApplications } from '#server/features/deletion/erase-applications.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { watchCodeUse } from '#server/features/session/watch-code-use.ts'
import { notifyWatchers } from '#server/features/watch/notify-watchers.ts'
import { createMetrics } from '#server/monitoring/metrics.ts'
import type { Services } from '#server/calls/services.ts'
import { dateInDays } from '#support/data/dates.ts'

/** A time of today at which the deletions run: they run hourly from 08:00 to 20:00 in the home time zone. */
export const timeOfDeletions = new Date(`${dateInDays(0)}T11:00:00+01:00`)

/**
 * Work on the tables without a call of an applicant: the server's jobs under their names, the outbox, the metrics,
 * and the lists of two commands. The gateways of the outbox are fakes that accept each message.
 */
export const jobsOnTables: Record<string, (services: Services) => Promise<unknown>> = {
  payments: services => reconcileDue(services, {}),
  watches: notifyWatchers,
  'closed-days': emptyClosedDays,
  codes: watchCodeUse,
  reminders: remindDue,
  deletions: deleteDue,
  housekeeping: ({ db }) => deleteExpiredRows(db),
  'closed-applications': eraseClosedApplications,
  accounts: eraseAccounts,
  outbox: services => deliverDue(services, { sms: gateway, email: gateway }),
  'the figures of the metrics': services => createMetrics(services, noLoad).readDatabase(),
  'the list of refunds': services => runCommand(refundsCommand, services),
  'the list of open payments': services => runCommand(paymentsCommand, services),
}

const gateway = { send: async () => ({ kind: 'sent' }) as const }
/** The load of a connection pool at rest. */
export const noLoad = () => ({ size: 1, open: 0, idle: 0, waiting: 0, longestWaitMs: 0 })

async function runCommand(command: Command, { db, config }: Services): Promise<void> {
  await db
    .transaction()
    .execute(trx =>
      command.run(
        { trx, config, now: timeOfDeletions, dryRun: false, openFile: noFile },
        { operands: [], options: {} },
      ),
    )
}

function noFile() {
  return { kind: 'unreadable', reason: '' } as const
}
