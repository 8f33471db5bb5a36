import { parseArgs } from 'node:util'
import type { Command, CommandArguments } from './command.ts'
import { recordOptions } from './operator-record.ts'

export type ParsedCommandLine =
  | { kind: 'run'; command: Command; given: CommandArguments; dryRun: boolean }
  | { kind: 'help'; text: string }
  | { kind: 'usage-error'; why: string }

const commonOptions = {
  help: { type: 'boolean', short: 'h' },
  'dry-run': { type: 'boolean' },
} as const

/** Reads the words after `npm run office --`. */
export function readCommandLine(args: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return { kind: 'help', text: listCommands(commands) }
  const command = commands.find(each => each.name === name)
  if (command === undefined) {
    const known = commands.map(each => each.name).join(', ')
    return { kind: 'usage-error', why: `There is no command "${name}". The commands are ${known}.` }
  }
  return readArguments(command, rest)
}

function readArguments(command: Command, words: string[]): ParsedCommandLine {
  const parsed = parse(command, words)
  if (typeof parsed === 'string') return usageFault(command, parsed)
  const { help, 'dry-run': dryRun, ...options } = parsed.values
  if (help === true) return { kind: 'help', text: describe(command) }
  const [least, most] = command.operands
  const count = parsed.positionals.length
  if (count < least || count > most)
    return usageFault(command, `It takes ${command.usage || 'nothing more'}.`)
  const { reason } = options
  if (command.needsReason && (typeof reason !== 'string' || reason.trim() === ''))
    return usageFault(command, 'Give the reason with --reason TEXT.')
  const given = { operands: parsed.positionals, options }
  return { kind: 'run', command, given, dryRun: dryRun === true }
}

/** The parsed arguments, or the error message of the parser. */
function parse(command: Command, args: string[]) {
  try {
    // `--as` and `--reason` also for a command that is not recorded: an operator may always type them.
    const options = { ...command.options, ...recordOptions, ...commonOptions }
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    // Cuts off what the parser says of operands that begin with "-": no command has such operands.
    if (error instanceof TypeError && 'code' in error)
      return error.message.replace(/(?<=\.) To specify .*$/s, '')
    throw error
  }
}

function usageFault(command: Command, why: string): ParsedCommandLine {
  return { kind: 'usage-error', why: `${why}\nUsage: ${describeUsage(command)}` }
}

function listCommands(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(each => heading(each).length)) + 2
  return [
    'Usage: npm run office -- COMMAND [--dry-run]',
    '',
    ...commands.map(each => `  ${heading(each).padEnd(width)}${each.summary}`),
    '',
    'Commands that change or reveal personal data are recorded: --as NAME says who you are, --reason TEXT why.',
    'COMMAND --help says more. --dry-run prints the result and rolls the changes back.',
    'The settings are those of the server: .env, or environment variables. See docs/operators.md.',
  ].join('\n')
}

function describe(command: Command): string {
  return [`Usage: ${describeUsage(command)}`, '', `${command.summary}.`, '', ...command.help]
    .join('\n')
    .trimEnd()
}

function describeUsage(command: Command): string {
  const reason = command.needsReason ? '--reason TEXT' : '[--reason TEXT]'
  const recorded = command.isRecorded ? ` ${reason} [--as NAME]` : ''
  return `npm run office -- ${heading(command)}${recorded} [--dry-run]`
}

function heading({ name, usage }: Command): string {
  return usage === '' ? name : `${name} ${usage}`
}
