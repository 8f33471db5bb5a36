import type { Kysely, Transaction } from 'kysely'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Logger } from '#server/monitoring/logger.ts'
import type { Secrets } from '#server/config/secrets.ts'

/**
 * The clock of all features: the time of the database, which all server processes share (D46). Deadlines in tables use the
 * database's `now()`. Tests replace both.
 */
export type Clock = { now(): Date }

/** The dependencies of every feature. */
export type Services = {
  db: Kysely<Schema>
  config: Configuration
  clock: Clock
  secrets: Secrets
  /** The epoch of the database when this process started (D62). */
  epoch: string
  logger: Logger
}

/** The services of a call that is one transaction (D72): all its statements go through `db`. */
export type TransactionServices = Omit<Services, 'db'> & { db: Transaction<Schema> }

/** Returns the services whose statements run in this transaction. */
export function withTransaction(services: Services, trx: Transaction<Schema>): TransactionServices {
  return { ...services, db: trx }
}
