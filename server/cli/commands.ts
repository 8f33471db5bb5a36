import { afterRestoreCommand } from './after-restore.ts'
import { applicationCommand } from './application.ts'
import { closeDayCommand } from './close-day.ts'
import type { Command } from './command.ts'
import { dayListCommand } from './day-list.ts'
import { encryptDataCommand } from './encrypt-data.ts'
import { endSessionsCommand } from './end-sessions.ts'
import { eventsCommand } from './events.ts'
import { loadCalendarsCommand } from './load-calendars.ts'
import { loadOfficesCommand } from './load-offices.ts'
import { loadWhitelistCommand } from './load-whitelist.ts'
import { messagesCommand } from './messages.ts'
import { migrateCommand } from './migrate.ts'
import { moveCommand } from './move.ts'
import { moveDatabaseCommand } from './move-database.ts'
import { noShowCommand } from './no-show.ts'
import { openDayCommand } from './open-day.ts'
import { paymentsCommand } from './payments.ts'
import { recordCommand } from './record.ts'
import { refundsCommand } from './refunds.ts'
import { releaseJobsCommand } from './release-jobs.ts'
import { removeWhitelistCommand } from './remove-whitelist.ts'
import { statementCommand } from './statement.ts'
import { statisticsCommand } from './statistics.ts'
import { verifyCommand } from './verify.ts'

/** The commands for operators (D45). */
export const commands: readonly Command[] = [
  loadOfficesCommand,
  loadCalendarsCommand,
  loadWhitelistCommand,
  removeWhitelistCommand,
  closeDayCommand,
  openDayCommand,
  applicationCommand,
  dayListCommand,
  moveCommand,
  messagesCommand,
  noShowCommand,
  endSessionsCommand,
  eventsCommand,
  paymentsCommand,
  refundsCommand,
  statementCommand,
  statisticsCommand,
  recordCommand,
  verifyCommand,
  afterRestoreCommand,
  releaseJobsCommand,
  migrateCommand,
  encryptDataCommand,
  moveDatabaseCommand,
]
