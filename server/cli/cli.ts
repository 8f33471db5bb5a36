import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { encryptionPlugin } from '#server/config/data-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { type Configuration, readConfig } from '#server/config/config.ts'
import { loadSettings } from '#server/config/load-settings.ts'
import { describeUnread } from '#server/config/unread-variables.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { readMigrationState } from '#server/database/migrate.ts'
import { errorCodeOf, retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { readDatabaseTime } from '#server/database/database-clock.ts'
import { type ParsedCommandLine, readCommandLine } from './command-line.ts'
import { type Done, done, type OpenedFile, type Outcome, pluralise } from './command.ts'
import { commands } from './commands.ts'
import { explainError } from './explain-error.ts'
import { migrateCommand } from './migrate.ts'
import { recordRun } from './operator-record.ts'

const exitCodes = { done: 0, refused: 1, misused: 2 } as const

/** Runs an office command, with the arguments after `npm run office --` (D45). Returns the exit code of the process. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const typed = readCommandLine(args, commands)
  if (typed.kind === 'help') return print(process.stdout, [typed.text], exitCodes.done)
  if (typed.kind === 'usage-error') return print(process.stderr, [typed.why], exitCodes.misused)
  const outcome = await runWithSettings(typed)
  if (outcome.kind === 'done') return print(process.stdout, outcome.lines, exitCodes.done)
  if (outcome.lines) print(process.stdout, outcome.lines, exitCodes.refused)
  return print(process.stderr, outcome.faults, exitCodes.refused)
}

type CommandRun = Extract<ParsedCommandLine, { kind: 'run' }>

async function runWithSettings(run: CommandRun): Promise<Outcome> {
  const unreadable = loadSettings()
  if (unreadable !== undefined) return { kind: 'refused', faults: [unreadable] }
  const read = readConfig(process.env)
  if (read.kind === 'faults')
    return { kind: 'refused', faults: [...read.faults, ...describeUnread(process.env)] }
  const { config } = read
  const source = run.command.opensEmbedded ? { ...config, databaseUrl: undefined } : config
  const missing = missingFolder(source)
  if (missing !== undefined) return { kind: 'refused', faults: [missing] }
  try {
    const database = await connectDatabase(source)
    try {
      const fault = run.command === migrateCommand ? undefined : await findTableFault(database.db)
      if (fault !== undefined) return { kind: 'refused', faults: [fault] }
      return await runCommand(run, { db: database.db, config })
    } finally {
      await database.close()
    }
  } catch (error) {
    return { kind: 'refused', faults: [explainError(error, config)] }
  }
}

/** Without this check a misspelt DATA_DIR would create a new, empty database. */
function missingFolder({ databaseUrl, dataDir }: Configuration): string | undefined {
  const folder = join(dataDir, 'database')
  if (databaseUrl !== undefined || existsSync(folder)) return undefined
  return `There is no database in ${folder}. Set DATA_DIR or DATABASE_URL as the server has it, or start the server once.`
}

/** Of the commands only `migrate` changes the tables of this database, so that an operator decides when they change. */
async function findTableFault(db: Kysely<Schema>): Promise<string | undefined> {
  const { pending } = await readMigrationState(db)
  if (pending.length === 0) return undefined
  return `The tables lack ${pluralise(pending.length, 'migration')} of this release. Run "npm run office -- migrate" first, with --grant-to ROLE when the servers connect as a role of their own, or start the server once.`
}

class Rollback extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('rolled back')
    this.outcome = outcome
  }
}

/**
 * Returns a database that encrypts contacts and messages. For `migrate` the plain one: the table of the keys may not
 * exist yet.
 */
async function withEncryption({ command }: CommandRun, settings: RunSettings): Promise<Kysely<Schema>> {
  if (command === migrateCommand) return settings.db
  const { dataKeys } = await loadSecrets(settings.db, settings.config)
  return settings.db.withPlugin(encryptionPlugin(dataKeys))
}

type RunSettings = { db: Kysely<Schema>; config: Configuration; now?: Date }

/**
 * Runs the command in one transaction, with the record of the run (D102), or in its own steps. A refusal or a dry run
 * rolls the transaction back. A command with `isRecorded` is recorded all the same, because its output may show personal
 * data.
 */
export async function runCommand(run: CommandRun, settings: RunSettings): Promise<Outcome> {
  const { command, given, dryRun } = run
  const { config, now = await readDatabaseTime(settings.db) } = settings
  const db = await withEncryption(run, settings)
  const context = { config, now, dryRun, openFile }
  // `about`: what the record names; undefined: the operands, as in `Refused`.
  const record = async (on: Kysely<Schema>, about: readonly string[] | undefined) => {
    if (command.isRecorded) await recordRun(on, { command: command.name, given, about, dryRun })
  }
  if (command.runInSteps && !dryRun) {
    const outcome = await command.runInSteps({ ...context, db, record }, given)
    if (outcome.kind === 'refused') await record(db, outcome.about)
    return outcome
  }
  try {
    const outcome = await retryOnConflict(() =>
      db.transaction().execute(async trx => {
        const result = await command.run({ ...context, trx }, given)
        if (result.kind === 'refused' || dryRun) throw new Rollback(result)
        await record(trx, result.about ?? [])
        return result
      }),
    )
    return saveFile(outcome)
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
    const { outcome } = error
    if (outcome.kind === 'refused') {
      await record(db, outcome.about)
      return outcome
    }
    await record(db, outcome.about ?? [])
    return { kind: 'done', lines: [...outcome.lines, 'A dry run: nothing was changed.'] }
  }
}

/** Only the operator may read the file, and an existing one is not replaced. */
function saveFile(outcome: Done): Outcome {
  if (outcome.file === undefined) return outcome
  const { path, text } = outcome.file
  try {
    writeFileSync(pathOf(path), text, { flag: 'wx', mode: 0o600 })
    return { ...outcome, lines: [...outcome.lines, ...done(`Written to ${path}.`).lines] }
  } catch (error) {
    const reason = errorCodeOf(error) === 'EEXIST' ? 'There is such a file already' : 'It cannot be written'
    return { kind: 'refused', faults: [`${path}: ${reason}.`] }
  }
}

/** npm runs a script in the folder of the project; INIT_CWD is the folder of the operator's shell. */
function pathOf(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', path)
}

function openFile(path: string): OpenedFile {
  const name = basename(path)
  try {
    return { kind: 'file', name, bytes: readFileSync(pathOf(path)) }
  } catch (error) {
    const reason = errorCodeOf(error) === 'ENOENT' ? 'There is no such file' : 'It cannot be read'
    return { kind: 'unreadable', reason: `${path}: ${reason}.` }
  }
}

function print(stream: NodeJS.WriteStream, lines: string[], code: number): number {
  stream.write(`${lines.join('\n')}\n`)
  return code
}
