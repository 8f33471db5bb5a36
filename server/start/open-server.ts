import type { FastifyInstance } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { type AppSettings, createApp } from './app.ts'
import { type Closers, createClosers } from './closers.ts'
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
  /** Set: the server terminates TLS itself. */
  certificate?: Certificate | undefined
  /** Called for each message that is written to the folder instead of a gateway. */
  printMessage?: ((message: OutgoingMessage) => void) | undefined
}

/** How long a server that is stopping keeps connections that no request uses. The process must end within ten seconds (D6). */
const drainMs = 2_000

/**
 * Opens everything except the socket: database, migrations, seeds, keys, routes and jobs. A start that fails closes what it
 * has opened.
 *
 * @throws when the database cannot be opened or migrated, or has values of a data key that is not configured, or when
 *   PAYMENT_SIMULATORS is on and the simulators were deleted.
 */
export async function openServer(settings: OpenSettings): Promise<OpenServer> {
  const opened = createClosers()
  try {
    return await openParts(settings, opened)
  } catch (error) {
    // The error of the start says more than an error of the closing.
    await opened.close().catch(() => undefined)
    throw error
  }
}

/** Opens one part after the other, and adds to `opened` how each is closed. */
async function openParts(settings: OpenSettings, opened: Closers): Promise<OpenServer> {
  const { logger, staticRoot, certificate, printMessage } = settings
  if (settings.config.isTracing) setTracer(await openTracer())
  opened.add(() => currentTracer()?.stop())
  const simulators = await openSimulators(settings.config)
  opened.add(() => simulators?.close())
  const config = simulators
    ? { ...settings.config, payments: simulators.settings(settings.config.payments) }
    : settings.config
  const database = await openDatabase(config, logger)
  opened.add(() => database.close())
  const clock = await openDatabaseClock(database.db)
  opened.add(() => clock.stop())
  const services = await openServices(database.db, { config, clock, logger }, opened)
  const providers = paymentProviders(services)
  await warnOperator(services)
  const jobs = startJobs(services, providers, printMessage)
  opened.add(() => jobs.stop())
  const metrics = createMetrics(services, database.load)
  const figures = readFiguresRegularly(config, metrics, logger)
  opened.add(() => figures.stop())
  const loop = watchEventLoop()
  opened.add(() => loop.stop())
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
  // Both at once: while a slow client keeps `app.close()` waiting, perhaps until the process exits, no job may start.
  opened.add(async () => void (await Promise.all([app.close(), jobs.stop()])))
  const { drain } = prepareDrain(app)
  opened.add(() => drain(drainMs))
  return { app, metrics, close: () => opened.close() }
}

/**
 * Returns the services. Their `db` encrypts contacts and messages, and decrypts contacts. Until the encryption of the
 * database has started, the server asks the database regularly whether it has; `opened` gets the function that ends
 * this.
 */
async function openServices(
  db: Services['db'],
  given: Pick<Services, 'config' | 'clock' | 'logger'>,
  opened: Closers,
): Promise<Services> {
  const secrets = await loadSecrets(db, given.config)
  const { stop } = watchEncryptionStart(db, secrets.dataKeys, error =>
    given.logger.warn(
      { err: error },
      'The start of the encryption could not be read. The server tries again.',
    ),
  )
  opened.add(stop)
  return {
    ...given,
    db: db.withPlugin(encryptionPlugin(secrets.dataKeys)),
    secrets,
    epoch: await findOrCreateServerEpoch(db),
  }
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
