import type { Kysely, Transaction } from 'kysely'
import type { ParseArgsConfig } from 'node:util'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'

/** For a command of one transaction, which a dry run rolls back. */
export type CommandContext = {
  trx: Transaction<Schema>
  config: Configuration
  now: Date
  /** The transaction will be rolled back. */
  dryRun: boolean
  /** Opens a file by its path, relative to the operator's current folder. */
  openFile: (path: string) => OpenedFile
}

/** For a command of several transactions: a failure leaves what the transactions before it have changed. */
type StepContext = Omit<CommandContext, 'trx'> & {
  db: Kysely<Schema>
  /** Records the run in `trx`: the transaction of the first change, or an earlier one. `about`: as in `Done`. */
  record: (trx: Transaction<Schema>, about: readonly string[]) => Promise<void>
}

export type OpenedFile =
  | { kind: 'file'; name: string; bytes: Uint8Array }
  | { kind: 'unreadable'; reason: string }

export type CommandArguments = {
  operands: string[]
  options: Record<string, string | boolean | (string | boolean)[] | undefined>
}

export type Done = {
  kind: 'done'
  lines: string[]
  /**
   * What the record of this run names: application numbers, orders, offices. Never a name or a full contact. Undefined:
   * nothing.
   */
  about?: readonly string[]
  /**
   * The file of a `run`, written after its commit, so that nothing leaves the database without its record. A file of
   * `runInSteps` is not written.
   */
  file?: { path: string; text: string }
}
/**
 * Each fault is a line that says why. `lines`: what the command had done before the fault, when it is known. `about`: as
 * in `Done`; without it the record names the operands.
 */
export type Refused = { kind: 'refused'; faults: string[]; lines?: string[]; about?: readonly string[] }
export type Outcome = Done | Refused

export type Command = {
  name: string
  /** The operands and options after the name, for example `OFFICE DATE`. */
  usage: string
  /** The least and the greatest number of operands. */
  operands: [least: number, most: number]
  summary: string
  /** Lines for `--help`. */
  help: string[]
  options: NonNullable<ParseArgsConfig['options']>
  /** Whether the command changes or reveals personal data: then each run is recorded with its operator (D102). */
  isRecorded: boolean
  /** The operator must give a reason. */
  needsReason?: true
  /** The command opens the embedded database of DATA_DIR, also when DATABASE_URL is set. */
  opensEmbedded?: true
  run(context: CommandContext, given: CommandArguments): Promise<Outcome>
  /**
   * Replaces `run`, except for a dry run, when the command must not be one transaction. With `isRecorded` it calls
   * `record` before its first change, or in the transaction of that change; `runCommand` records a refusal.
   */
  runInSteps?(context: StepContext, given: CommandArguments): Promise<Outcome>
}

export function done(...lines: string[]): Done {
  return { kind: 'done', lines: lines.map(escapeControlCharacters) }
}

/**
 * Writes control characters as codes. Text from a file or a receipt must not move the cursor of the operator's terminal,
 * hide a line, or look like another line. Keeps the zero-width joiner and non-joiner, which the spelling of some names
 * needs.
 */
function escapeControlCharacters(text: string): string {
  return text.replace(
    /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** `1 booking`, `2 bookings`. */
export function pluralise(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

export function refused(...faults: string[]): Refused {
  return { kind: 'refused', faults: faults.map(escapeControlCharacters) }
}
