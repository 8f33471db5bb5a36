import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  areaOf,
  expandRange,
  findNamedIds,
  findTabledIds,
  formatReport,
  measureCoverage,
  readIds,
  readRows,
  type Row,
} from './coverage.mjs'

describe('docs/requirements.md', () => {
  const page = readFileSync(new URL('../../docs/requirements.md', import.meta.url), 'utf8')
  const rows = readRows(page)

  it('contains each of the 386 requirements and the 99 open points once', () => {
    const openPoints = rows.filter(row => areaOf(row.id) === 'S')
    expect(new Set(rows.map(row => row.id)).size).toBe(rows.length)
    expect(openPoints).toHaveLength(99)
    expect(rows.length - openPoints.length).toBe(386)
  })

  it('numbers every area from 01 without gaps', () => {
    for (const [area, ids] of groupByArea(rows)) {
      expect(ids).toEqual(expandRange(`${area}01`, ids.at(-1) ?? ''))
    }
  })

  it('has every requirement in the format that readRows() reads', () => {
    const listed = page.split('\n').filter(line => line.startsWith('- **'))
    expect(listed).toEqual(rows.map(({ id, title }) => `- **${id}**: ${title}`))
  })
})

describe('readIds', () => {
  it.each([
    ['keeps the surname (PER02, PER03)', ['PER02', 'PER03']],
    ['API01–API03 stand', ['API01', 'API02', 'API03']],
    ['API01-API03 stand', ['API01', 'API02', 'API03']],
    // The area is I18.
    ['I1830–I1831', ['I1830', 'I1831']],
    ['S09–S11 and S99', ['S09', 'S10', 'S11', 'S99']],
    ['PER09 to LIM02: PER09–LIM02', ['PER09', 'LIM02', 'PER09', 'LIM02']],
    ['code 11211, SHA256, UTF-16, D32 and F4 are not requirements', []],
    ['PER099 and PRE09 look like rows', ['PER099', 'PRE09']],
  ])('reads %j', (text, ids) => {
    expect(readIds(text)).toEqual(ids)
  })
})

describe('findNamedIds', () => {
  it.each([
    ['a test', "it('PER09 needs a region', () => {})", ['PER09']],
    ['a describe block', "describe('sign-in SIG01–SIG02', () => {})", ['SIG01', 'SIG02']],
    ['a template', 'it(`PER09 ${kind} PER10`, () => {})', ['PER09', 'PER10']],
    ['a joined name', "test('PER09 ' + 'PER10', () => {})", ['PER09', 'PER10']],
    ['a table', "it.each([['a', f(1)], ['b', 2]])('PER09 %s', () => {})", ['PER09']],
    ['a typed table', "it.each<[string, () => void]>([['a', g]])(\n  'PER09 %s', () => {})", ['PER09']],
    ['a tagged table', "it.each`a | b\n${1} | ${2}\n`('PER09 $a', () => {})", ['PER09']],
    ['a concurrent test', "it.concurrent('PER09', () => {})", ['PER09']],
    ['a condition', "it.skipIf(noBrowser)('PER09', () => {})", ['PER09']],
    ['a table with a condition', "it.runIf(isFullRun).each([['a', f(1)]])('PER09 %s', () => {})", ['PER09']],
    [
      'a typed table with a condition',
      "it.skipIf(x)\n  .each<string>(names)(\n  'PER09', () => {})",
      ['PER09'],
    ],
    ['after a regular expression', "const quote = /['\"]/\nit('PER09', () => {})", ['PER09']],
    ['beside an apostrophe in JSX', "const a = <p>Don't</p>; it('PER09', () => {})", ['PER09']],
    ['after an apostrophe in JSX', "const a = <p>Don't</p>\nit('PER09', () => {})", ['PER09']],
  ])('finds the id in %s', (_, source, ids) => {
    expect(findNamedIds(source).map(cited => cited.id)).toEqual(ids)
  })

  it.each([
    ['a comment', '// PER09\n/* PER09 */'],
    ['a test that is commented out', "// it('PER09 needs a region', () => {})"],
    ['the body of a test', "it('stands', () => { say('row PER09') })"],
    ['the data of a table', "it.each([['row PER09', 1]])('%s', () => {})"],
    ["another object's test", "pattern.test('PER09 a')"],
  ])('ignores the id in %s', (_, source) => {
    expect(findNamedIds(source)).toEqual([])
  })

  it('returns the line of each id', () => {
    expect(findNamedIds("\n\nit('PER09', () => {})")).toEqual([{ id: 'PER09', line: 3 }])
  })
})

describe('findTabledIds', () => {
  it.each([
    ["{ row: 'PER09', field: 'regionCode' }", ['PER09']],
    ["['PER09, PER10', 26]", ['PER09', 'PER10']],
    ["['PER09 PER10', 26]", ['PER09', 'PER10']],
    ["['API01–API03']", ['API01', 'API02', 'API03']],
    ["['API01..API03']", ['API01', 'API02', 'API03']],
    ["'row PER09'", []],
    ["// 'PER09'", []],
    // No area has the name ABC, and a literal may look like an id by chance.
    ["{ passport: 'ABC12' }", []],
  ])('reads %j', (source, ids) => {
    expect(findTabledIds(source).map(cited => cited.id)).toEqual(ids)
  })
})

describe('measureCoverage', () => {
  const rows = [
    { id: 'PER01', title: 'given names' },
    { id: 'PER02', title: 'surname' },
    { id: 'S01', title: 'envelope' },
  ]

  it('counts requirements by area and lists those without a test', () => {
    const coverage = measureCoverage(rows, [{ path: 'tests/a.test.ts', text: "it('PER01', f)" }])
    expect(coverage.areas).toEqual([
      { area: 'PER', rows: 2, named: 1, missing: 1 },
      { area: 'S', rows: 1, named: 0, missing: 1 },
    ])
    expect(coverage.missing.map(row => row.id)).toEqual(['PER02', 'S01'])
    expect(coverage.named).toEqual([{ id: 'PER01', title: 'given names', files: ['tests/a.test.ts'] }])
    expect(formatReport(coverage)).toContain('  PER02  surname')
  })

  it('lists the requirements that only the structure tests name', () => {
    const coverage = measureCoverage(rows, [
      { path: 'tests/structure/a.test.ts', text: "it('PER01, PER02', f)" },
      { path: 'tests/screens/a.test.ts', text: "it('PER02', f)" },
    ])
    expect(coverage.namedByStructureOnly.map(row => row.id)).toEqual(['PER01'])
  })

  it.each([
    "it('PER03', f)",
    "it('PRE01', f)",
    "it('PER1', f)",
    "it('S00', f)",
    "it.each([['PER77']])('%s', f)",
    "it.each([['PER9']])('%s', f)",
  ])('reports an unknown id: %s', text => {
    const coverage = measureCoverage(rows, [{ path: 'tests/a.test.ts', text }])
    expect(coverage.unknown).toHaveLength(1)
    expect(formatReport(coverage)).toContain('tests/a.test.ts:1')
  })

  it.each([
    ["it.skip('PER01', f)", 1],
    ["it.skip('PER01 needs a region', () => {})", 1],
    ["it.todo('PER01')", 1],
    ["it('a', f)\nit.skip.each([['PER01', 1]])('PER01 %s', f)", 2],
    ["it.skip.each`row | b\n${'PER01'} | ${2}\n`('PER01 $b', f)", 1],
    ["it.runIf(isFullRun).skip('PER01', f)", 1],
    ["it('PER01', { skip: true }, f)", 1],
    ["it('PER01', { timeout: 9, todo: true }, f)", 1],
    ["describe.skip('a', () => {\n  it('PER01', f)\n  it.each([['PER01']])('%s', f)\n})", 1],
    ["describe('a', () => {\n  describe.skip('(b', () => { it('PER01', f) })\n})", 2],
  ])('counts no id of a test that never runs, and reports its line: %s', (text, line) => {
    const coverage = measureCoverage(rows, [{ path: 'tests/a.test.ts', text }])
    expect(coverage.named).toEqual([])
    expect(coverage.notRun).toEqual([{ path: 'tests/a.test.ts', line }])
    expect(formatReport(coverage)).toContain(`tests/a.test.ts:${line}`)
  })

  it.each([
    "it.runIf(isFullRun)('PER01', f)",
    "it.skipIf(whyNot !== '')('PER01', f)",
    "describe.runIf(canRun)('PER01', f)",
    "it('PER01', async ({ skip }) => skip('this machine has no network address'))",
    "describe.skip('b', f)\nit('PER01', f)",
  ])('counts the id of a test that can run, also with a condition or a reason to skip it: %s', text => {
    const coverage = measureCoverage(rows, [{ path: 'tests/a.test.ts', text }])
    expect(coverage.named.map(row => row.id)).toEqual(['PER01'])
  })

  it.each([
    ["it('a', f)\nit.only('PER01', f)", 2],
    ["it.only.each([['PER01']])('%s', f)", 1],
    ["it.runIf(isFullRun).only('PER01', f)", 1],
    ["it('PER01', { timeout: 9, only: true }, f)", 1],
    ["describe.only('a', () => it('PER01', f))", 1],
    ["it('PER01', ({ skip }) => {\n  if (a) skip()\n})", 2],
    ["it('PER01', context => context.skip( ))", 1],
    ["it('PER01', ({ skip }) => skip(''))", 1],
  ])('reports the line that leaves tests out without a reason: %s', (text, line) => {
    const coverage = measureCoverage(rows, [{ path: 'tests/a.test.ts', text }])
    expect(coverage.named.map(row => row.id)).toEqual(['PER01'])
    expect(coverage.withoutReason).toEqual([{ path: 'tests/a.test.ts', line }])
    expect(formatReport(coverage)).toContain(`tests/a.test.ts:${line}`)
  })

  it.each([
    "it('PER01', ({ skip }) => skip('no browser'))",
    "it('PER01', ({ skip }) => skip(whyNotRun))",
    "it('PER01: skip() and it.only()', () => {}) // skip()",
    "it('PER01', () => reader.only('a'))",
  ])('accepts a reason, and text that only looks like such a line: %s', text => {
    expect(measureCoverage(rows, [{ path: 'tests/a.test.ts', text }]).withoutReason).toEqual([])
  })

  it('finds no unknown id and no test that is left out without a reason in this repository', () => {
    const script = fileURLToPath(new URL('coverage.mjs', import.meta.url))
    const run = spawnSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
    expect(JSON.parse(run.stdout)).toMatchObject({ unknown: [], notRun: [], withoutReason: [] })
    expect(run.status).toBe(0)
  })
})

function groupByArea(rows: Row[]): Map<string, string[]> {
  const areas = new Map<string, string[]>()
  for (const { id } of rows) areas.set(areaOf(id), [...(areas.get(areaOf(id)) ?? []), id])
  return areas
}
