import type { Transaction } from 'kysely'
import type { ParseArgsConfig } from 'node:util'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'

/** What a command works with. All it does is one transaction, which a dry run takes back. */
export type CommandContext = {
  trx: Transaction<Schema>
  config: Configuration
  now: Date
  /** A file that the operator named, from the folder that the command was typed in. */
  openFile: (path: string) => OpenedFile
}

export type OpenedFile =
  | { kind: 'file'; name: string; bytes: Uint8Array }
  | { kind: 'unreadable'; reason: string }

export type CommandArguments = {
  operands: string[]
  options: Record<string, string | boolean | (string | boolean)[] | undefined>
}

/** `refused`: nothing was changed, and each line says why. */
export type Outcome = { kind: 'done'; lines: string[] } | { kind: 'refused'; faults: string[] }

export type Command = {
  name: string
  /** What stands after the name, `OFFICE DATE`. */
  usage: string
  /** How many operands that is, at least and at most. */
  operands: [least: number, most: number]
  summary: string
  /** Lines for `--help`. */
  help: string[]
  options: NonNullable<ParseArgsConfig['options']>
  run(desk: CommandContext, given: CommandArguments): Promise<Outcome>
}

export function done(...lines: string[]): Outcome {
  return { kind: 'done', lines }
}

/** `1 booking`, `2 bookings`. */
export function pluralise(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

export function failed(...faults: string[]): Outcome {
  return { kind: 'refused', faults }
}
