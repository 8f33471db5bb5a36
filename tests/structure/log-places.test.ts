import { describe, expect, it } from 'vitest'
import { readSources, readText } from './source-tree.ts'
import { readPaths, readRows } from './tables.ts'

const rows = readRows(readText('docs/runbook.md'), 'Logs and records')
const listed = rows.flatMap(([, , writers = '']) => readPaths(writers))

describe('the logs of the server', () => {
  it('are written by the files that the runbook lists, and by no other file of the server except those in server/build', () => {
    const found = readSources('server')
      .concat({ path: 'server/start/start.mjs', text: readText('server/start/start.mjs') })
      .filter(({ path, text }) => !path.startsWith('server/build/') && writesLog(text))
      .map(({ path }) => path)
    expect(found.toSorted()).toEqual(listed.toSorted())
  })

  it.each([
    ["process.stdout.write('text')", true],
    ['print(process.stderr, faults)', true],
    ["console.warn('text')", true],
    ['return pino(settings)', true],
    [".insertInto('security_event')", true],
    [".insertInto('operator_record')", true],
    ["logger.warn({}, 'text')", false],
  ])('are recognised in %s: %s', (text, isFound) => {
    expect(writesLog(text)).toBe(isFound)
  })
})

function writesLog(text: string): boolean {
  return (
    /\bprocess\.std(?:out|err)\b|\bconsole\.|\bpino\(/.test(text) ||
    /insertInto\('(?:security_event|operator_record)'\)/.test(text)
  )
}
