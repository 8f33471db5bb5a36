import type { Clock } from '#server/calls/services.ts'

/** The clock outside tests. No other file under `server` reads the machine's time. */
export const machineClock: Clock = { now: () => new Date() }
