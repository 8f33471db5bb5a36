import type { Kysely } from 'kysely'
import type { Configuration } from './config.ts'
import type { Schema } from './database/schema.ts'
import type { Logger } from './logger.ts'
import type { Secrets } from './secrets.ts'

/**
 * The only clock of the server; tests wind it. Deadlines that the database keeps use the database's `now()`, which all
 * server processes share; tests replace that function.
 */
export type Clock = { now(): Date }

/** What every feature is built from. A feature takes all of it and uses what it needs. */
export type Services = {
  db: Kysely<Schema>
  config: Configuration
  clock: Clock
  secrets: Secrets
  logger: Logger
}
