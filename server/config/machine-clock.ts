import type { Clock } from '#server/calls/services.ts'

/**
 * The clock of the machine, for times that are not those of the service: of a certificate or a simulated provider. The
 * service has the clock of its database (`openDatabaseClock`). No other file under `server` reads the date
 * (`tests/structure/clock.test.ts`).
 */
export const machineClock: Clock = { now: () => new Date() }
