import { type Configuration, readConfig } from '#server/config/config.ts'
import { encryptionPlugin } from '#server/config/data-keys.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { findOrCreateServerEpoch } from '#server/database/server-epoch.ts'
import type { Services } from '#server/calls/services.ts'

export type ServiceSettings = Partial<Pick<Services, 'clock' | 'logger'>> & {
  /** Environment variables of the server; all others have their defaults. */
  env?: Record<string, string> | undefined
}

export const silentLogger: Services['logger'] = { info: ignore, warn: ignore, error: ignore }

/**
 * Returns the services of a server on this database, with the keys of `env`, or else those that the database stores; stores
 * new keys when it has none. By default the clock is the machine's and nothing is logged.
 *
 * @throws when the environment is not valid, or lacks the data key with which the database was encrypted.
 */
export async function servicesOn(
  db: Services['db'],
  { clock = machineClock, logger = silentLogger, env }: ServiceSettings = {},
): Promise<Services> {
  const config = configOf(env)
  const secrets = await loadSecrets(db, config)
  return {
    db: db.withPlugin(encryptionPlugin(secrets.dataKeys)),
    config,
    clock,
    logger,
    secrets,
    epoch: await findOrCreateServerEpoch(db),
  }
}

/** Returns the configuration of these environment variables. @throws an error with the faults. */
export function configOf(env: Record<string, string> = {}): Configuration {
  const read = readConfig(env)
  if (read.kind === 'faults') throw new Error(read.faults.join('\n'))
  return read.config
}

function ignore(): void {}
