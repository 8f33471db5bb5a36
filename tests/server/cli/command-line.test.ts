import { describe, expect, it } from 'vitest'
import { readCommandLine } from '#server/cli/command-line.ts'
import { commands } from '#server/cli/commands.ts'

const read = (...words: string[]) => readCommandLine(words, commands)

describe('the command line of the office command (D45)', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('%j lists every command', words => {
    const typed = read(...words)
    expect(typed.kind).toBe('help')
    const text = typed.kind === 'help' ? typed.text : ''
    for (const { name, summary } of commands) {
      expect(text).toContain(`  ${name} `)
      expect(text).toContain(summary)
    }
  })

  it.each(commands.map(({ name }) => name))('%s --help prints its usage', name => {
    const typed = read(name, '--help')
    expect(typed).toMatchObject({ kind: 'help' })
    expect(typed.kind === 'help' && typed.text).toMatch(
      new RegExp(`^Usage: npm run office -- ${name} .*\n\n.{30}`),
    )
  })

  it('accepts options before and after the operands', () => {
    const expected = { dryRun: true, given: { operands: ['1', '2026-12-25'], options: { reason: 'Noël' } } }
    expect(read('close-day', '--dry-run', '1', '2026-12-25', '--reason', 'Noël')).toMatchObject(expected)
    expect(read('close-day', '1', '2026-12-25', '--reason=Noël', '--dry-run')).toMatchObject(expected)
  })

  it.each(commands.map(({ name }) => name))('%s accepts the name and the reason of the operator', name => {
    const { operands = [0] } = commands.find(each => each.name === name) ?? {}
    const words = Array.from({ length: operands[0] }, () => 'word')
    expect(read(name, ...words, '--as', 'Awa', '--reason', 'Noël').kind).toBe('run')
  })

  it('says of an unknown option only that it is unknown, and the usage', () => {
    const usage = 'Usage: npm run office -- record [NUMBER] [--dry-run]'
    expect(read('record', '--all')).toEqual({ kind: 'usage-error', why: `Unknown option '--all'.\n${usage}` })
  })

  it.each([
    [['close'], 'There is no command "close". The commands are load-offices'],
    [
      ['close-day', '1'],
      'It takes OFFICE DATE.\nUsage: npm run office -- close-day OFFICE DATE [--reason TEXT] [--as NAME]',
    ],
    [['close-day', '1', '2026-12-25', '2026-12-26'], 'It takes OFFICE DATE'],
    [['load-offices'], 'It takes FILE.csv'],
    [['load-offices', 'a.csv', '--drop'], "Unknown option '--drop'"],
    [['refunds', '--done'], "Option '--done <value>' argument missing"],
  ])('%j is a usage error that says what is wrong or what the command takes', (words, why) => {
    const typed = read(...words)
    expect(typed.kind).toBe('usage-error')
    expect(typed.kind === 'usage-error' && typed.why).toContain(why)
  })
})
