import { afterRestoreCommand } from './after-restore.ts'
import { closeDayCommand } from './close-day.ts'
import type { Command } from './command.ts'
import { loadCalendarsCommand } from './load-calendars.ts'
import { loadOfficesCommand } from './load-offices.ts'
import { loadWhitelistCommand } from './load-whitelist.ts'
import { messagesCommand } from './messages.ts'
import { migrateCommand } from './migrate.ts'
import { moveCommand } from './move.ts'
import { openDayCommand } from './open-day.ts'
import { paymentsCommand } from './payments.ts'
import { refundsCommand } from './refunds.ts'
import { verifyCommand } from './verify.ts'

/** The commands for operators (D45). */
export const commands: readonly Command[] = [
  loadOfficesCommand,
  loadCalendarsCommand,
  loadWhitelistCommand,
  closeDayCommand,
  openDayCommand,
  moveCommand,
  messagesCommand,
  paymentsCommand,
  refundsCommand,
  verifyCommand,
  afterRestoreCommand,
  migrateCommand,
]
