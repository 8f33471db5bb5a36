import type { Clock } from '#server/calls/services.ts'

/**
 * The clock of the machine, for times that are not those of the service: of a certificate, a span or a simulated provider. The
 * service has the clock of its database (`openDatabaseClock`). `tests/structure/clock.test.ts` lists the files that may
 * read the time of the machine.
 */
export const machineClock: Clock = { now: () => new Date() }
