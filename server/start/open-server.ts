import type { FastifyInstance } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { type AppSettings, createApp } from './app.ts'
import { openDatabase } from './open-database.ts'
import { currentTracer, setTracer } from '#server/calls/tracing.ts'
import { encryptionPlugin, watchEncryptionStart } from '#server/config/data-keys.ts'
import type { Configuration } from '#server/config/config.ts'
import { findOrCreateServerEpoch } from '#server/database/server-epoch.ts'
import type { Schema } from '#server/database/schema.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { probePaths } from '#server/http/health.ts'
import { prepareDrain } from '#server/http/drain.ts'
import { processLoadOf, watchEventLoop } from '#server/http/load-shedding.ts'
import { warnWithoutJobs } from '#server/jobs/job-hold.ts'
import { type Jobs, startJobs } from '#server/jobs/jobs.ts'
import type { Services } from '#server/calls/services.ts'
import type { Logger } from '#server/monitoring/logger.ts'
import { openDatabaseClock } from '#server/database/database-clock.ts'
import { openTracer } from '#server/monitoring/open-telemetry.ts'
import { createMetrics, type Metrics } from '#server/monitoring/metrics.ts'
import { readFiguresRegularly } from '#server/monitoring/read-figures.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import type { Simulators } from '#server/integrations/simulators/start-simulators.ts'
import type { Certificate } from '#server/tls/demo-certificate.ts'
import { loadSecrets } from '#server/config/secrets.ts'

export type OpenServer = {
  app: FastifyInstance
  metrics: Metrics
  /** Completes running requests and jobs, then closes all connections. */
  close(): Promise<void>
}

export type OpenSettings = {
  config: Configuration
  logger: Logger
  staticRoot?: string | undefined
  /** Set: the server ends TLS itself. */
  certificate?: Certificate | undefined
  /** Called for each message that is written to the folder instead of a gateway. */
  printMessage?: ((message: OutgoingMessage) => void) | undefined
}

/** How long a server that stops keeps connections that no request uses. The whole stop may take ten seconds (D6). */
const drainMs = 2_000

/**
 * Opens everything except the socket: database, migrations, seeds, keys, routes and jobs.
 *
 * @throws when the database cannot be opened or migrated, or has values of a data key that is not configured, or when
 *   PAYMENT_SIMULATORS is on and the simulators were deleted.
 */
export async function openServer(settings: OpenSettings): Promise<OpenServer> {
  const { logger, staticRoot, certificate, printMessage } = settings
  if (settings.config.isTracing) setTracer(await openTracer())
  const simulators = await openSimulators(settings.config)
  const config = simulators
    ? { ...settings.config, payments: simulators.settings(settings.config.payments) }
    : settings.config
  const database = await openDatabase(config, logger)
  try {
    const clock = await openDatabaseClock(database.db)
    const { services, stop } = await openServices(database.db, { config, clock, logger })
    const providers = paymentProviders(services)
    await warnOperator(services)
    const jobs = startJobs(services, providers, printMessage)
    const metrics = createMetrics(services, database.load)
    const figures = readFiguresRegularly(config, metrics, logger)
    const loop = watchEventLoop()
    const app = createApp(services, {
      shedding: {
        onShed: priority => metrics.observeShed(priority),
        load: processLoadOf(database, loop.delayMs),
      },
      staticRoot,
      certificate,
      providers,
      listen: database.listen,
      probe: database.probe,
      onAnswered: afterAnswer(metrics, jobs, logger),
    })
    const { drain } = prepareDrain(app)
    const close = async () => {
      await drain(drainMs)
      await app.close()
      loop.stop()
      stop()
      clock.stop()
      await jobs.stop()
      await figures.stop()
      await simulators?.close()
      await database.close()
      await currentTracer()?.stop()
    }
    return { app, metrics, close }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Returns the services. Their `db` encrypts and decrypts contacts. `stop` ends the queries whether the encryption of the
 * database has started.
 */
async function openServices(
  db: Services['db'],
  given: Pick<Services, 'config' | 'clock' | 'logger'>,
): Promise<{ services: Services; stop: () => void }> {
  const secrets = await loadSecrets(db, given.config)
  const { stop } = watchEncryptionStart(db, secrets.dataKeys, error =>
    given.logger.warn(
      { err: error },
      'The start of the encryption could not be looked up. The server looks again.',
    ),
  )
  const services = {
    ...given,
    db: db.withPlugin(encryptionPlugin(secrets.dataKeys)),
    secrets,
    epoch: await findOrCreateServerEpoch(db),
  }
  return { services, stop }
}

function afterAnswer(metrics: Metrics, jobs: Jobs, logger: Logger): AppSettings['onAnswered'] {
  return answered => {
    metrics.observe(answered)
    if (!probePaths.includes(answered.route)) logger.info(answered, 'answered')
    if (answered.method !== 'GET') jobs.wakeOutbox()
  }
}

/** Starts simulated payment providers, for a demo without accounts. Production never loads their code. */
async function openSimulators({
  profile,
  payments,
  publicOrigin,
}: Configuration): Promise<Simulators | undefined> {
  if (profile !== 'demo' || !payments.simulators) return undefined
  const { startDemoSimulators } = await import('#server/integrations/simulators/demo-payers.ts')
  return startDemoSimulators(publicOrigin)
}

/** Warns of what lets the server start, and yet keeps applicants from booking or from getting messages. */
async function warnOperator(services: Services): Promise<void> {
  await warnWithoutHours(services.db, services.logger)
  await warnWithoutJobs(services)
}

/** A new production database has no opening hours, so applicants cannot choose a day. */
async function warnWithoutHours(db: Kysely<Schema>, logger: Logger): Promise<void> {
  const opening = await db.selectFrom('opening').select('office_id').limit(sql.lit(1)).executeTakeFirst()
  if (opening !== undefined) return
  logger.warn(
    {},
    'No office has opening hours, so applicants cannot choose a day. Load them with "npm run office -- load-calendars".',
  )
}
