import { userInfo } from 'node:os'
import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { CommandArguments } from './command.ts'
import { maskOperand } from './mask.ts'

/** Every command accepts these options; the record of a run stores them. */
export const recordOptions = { as: { type: 'string' }, reason: { type: 'string' } } as const

/** `about`: what the run was about. Without it the record names the operands, masked by `maskOperand`. */
export type RecordedRun = {
  command: string
  given: CommandArguments
  about: readonly string[] | undefined
  dryRun: boolean
}

/** Records who ran a command (D102): the name after `--as`, or the user of the operating system, which is stored too. */
export async function recordRun(
  db: Kysely<Schema>,
  { command, given: { operands, options }, about = operands.map(maskOperand), dryRun }: RecordedRun,
): Promise<void> {
  const machineUser = readMachineUser()
  await db
    .insertInto('operator_record')
    .values({
      operator: textOf(options['as']) || machineUser,
      machine_user: machineUser,
      command,
      about: [...about],
      reason: textOf(options['reason']),
      dry_run: dryRun,
    })
    .execute()
}

function textOf(option: CommandArguments['options'][string]): string {
  return typeof option === 'string' ? option.trim() : ''
}

function readMachineUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // in a container the user often has no name
  }
}
