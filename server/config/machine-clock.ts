import type { Clock } from '#server/calls/services.ts'

/** The clock of the real server. No other file under `server` reads the date (`tests/structure/clock.test.ts`). */
export const machineClock: Clock = { now: () => new Date() }
