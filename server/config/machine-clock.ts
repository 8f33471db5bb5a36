import type { Clock } from '#server/calls/services.ts'

/**
 * The clock of the machine, for what is not of the service: a certificate, a simulated provider. The service has the clock of
 * its database (`openDatabaseClock`). No other file under `server` reads the date (`tests/structure/clock.test.ts`).
 */
export const machineClock: Clock = { now: () => new Date() }
