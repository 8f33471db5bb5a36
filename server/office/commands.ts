import { closeDay } from './close-day.ts'
import type { Command } from './command.ts'
import { loadCalendars } from './load-calendars.ts'
import { loadOffices } from './load-offices.ts'
import { loadWhitelist } from './load-whitelist.ts'
import { move } from './move.ts'
import { openDay } from './open-day.ts'
import { payments } from './payments.ts'
import { refunds } from './refunds.ts'
import { verify } from './verify.ts'

/** All that an operator can do without SQL (D45). */
export const commands: readonly Command[] = [
  loadOffices,
  loadCalendars,
  loadWhitelist,
  closeDay,
  openDay,
  move,
  payments,
  refunds,
  verify,
]
