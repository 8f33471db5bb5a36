import { currentTracer } from '#server/calls/tracing.ts'
import type { Configuration } from '#server/config/config.ts'
import { connectDatabase, type DatabaseSettings, type OpenDatabase } from '#server/database/connect.ts'
import { migrate } from '#server/database/migrate.ts'
import { ownsTables } from '#server/database/serving-role.ts'
import type { Logger } from '#server/monitoring/logger.ts'
import { seed } from '#server/seed/seed.ts'

/**
 * Opens the database of the configuration, migrates its tables and seeds the offices.
 *
 * @throws when the database cannot be opened or migrated.
 */
export async function openDatabase(config: Configuration, logger: Logger): Promise<OpenDatabase> {
  const database = await connectDatabase({
    ...config,
    ...poolSettings(config),
    onStatement: traceStatement(),
    onLostConnection: error =>
      logger.warn({ err: error }, 'A database connection was lost; the pool opens a new one'),
  })
  try {
    await database.withoutLimits(async db => {
      await migrate(db)
      await seed(db, config)
      if (config.profile === 'production') await warnOfOwner(db, logger)
    })
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** As the owner of the tables, a faulty server could change them, or the record of what operators did (D117). */
async function warnOfOwner(db: OpenDatabase['db'], logger: Logger): Promise<void> {
  if (!(await ownsTables(db))) return
  logger.warn(
    {},
    'The role in DATABASE_URL owns the tables. Let the server connect as a role that cannot change them: "npm run office -- migrate --grant-to ROLE", see docs/deploy.md.',
  )
}

/** Undefined without a tracer, so that the pool times no statement. */
function traceStatement(): DatabaseSettings['onStatement'] {
  const tracer = currentTracer()
  return (
    tracer &&
    (({ operation, table, ...outcome }) => {
      const attributes = {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.collection.name': table,
      }
      tracer.record({ name: `${operation} ${table}`.trim(), kind: 'client', attributes }, outcome)
    })
  )
}

/** The pool closes a silent connection this long after PostgreSQL must have ended the statement itself. */
const answerGraceSeconds = 5

function poolSettings({
  database,
}: Configuration): Pick<DatabaseSettings, 'poolSize' | 'timeoutMs' | 'limits'> {
  return {
    poolSize: database.connections,
    timeoutMs: database.waitSeconds * 1_000,
    limits: {
      statementMs: database.statementSeconds * 1_000,
      lockMs: database.lockSeconds * 1_000,
      idleInTransactionMs: database.idleSeconds * 1_000,
      answerMs: (database.statementSeconds + answerGraceSeconds) * 1_000,
    },
  }
}
