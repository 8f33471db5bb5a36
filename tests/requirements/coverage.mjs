// `npm run coverage:requirements` prints which requirements of docs/requirements.md the tests name; `-- --json` prints JSON.
//
// A test names a requirement when the id is in the title of a test or describe block, or is a whole literal in a file
// of tests (in the table of a table-driven test). Comments do not count. An unknown id in a title fails the run. An
// unknown id that is a whole literal fails the run only when its area is known, because another text may look like an
// id. A test that never runs counts no id and fails the run too: a test that is left out needs a condition
// (`it.runIf(isFullRun)`) or a reason (`skip('…')` in its body). So `.only`, which leaves out the other tests of its
// file, and `skip()` without a reason fail the run too.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blankLiterals, findClosing, readLiterals } from '../structure/source-text.mjs'

const AREAS =
  'NAV SIG OTP LST FRM GEN PER PAR REP DOC CNF PAY APT FIN SES API ERR STA DIC I18 LIM OFF S'.split(' ')

// Any three capitals and two digits count as an id, so that the typo `PRE09` for `PER09` is found.
const LETTERED = AREAS.filter(area => /^[A-Z]{3}$/.test(area)).join('|')
const ID = String.raw`\b(?:I18\d{1,3}|S\d{2}|(?:${LETTERED})\d{1,3}|[A-Z]{3}\d{2})\b`
// Also with a digit too few or too many, as ID finds them.
const OF_KNOWN_AREA = new RegExp(String.raw`^(?:${AREAS.join('|')})\d{1,3}$`)
const TO = String.raw`\s*(?:–|—|-|\.\.|…)\s*`
const RANGE = new RegExp(String.raw`(${ID})(?:${TO}(${ID}))?`, 'g')
const ONLY_IDS = new RegExp(String.raw`^${ID}(?:(?:\s*,\s*|\s+|${TO})${ID})*$`)
const CALL = /(?<![.\w$])(?:describe|it|test)((?:\.\w+)*)\s*(?=[(<`])/g
const NOT_RUN = /\.(?:skip|todo)\b/
const NOT_RUN_OPTION = /^\s*\{[^{}]*\b(?:skip|todo): true\b/
const ONLY = /\.only\b/
const ONLY_OPTION = /^\s*\{[^{}]*\bonly: true\b/
// In a source with blank literals.
const BARE_SKIP = /(?<!\w)skip\(\s*(?:''|""|``)?\s*\)/g

/** Returns the requirements of docs/requirements.md: `- **PER09**: text`. */
export function readRows(markdown) {
  return [...markdown.matchAll(/^- \*\*([A-Z][A-Z0-9]+)\*\*: (.+)$/gm)].map(([, id, title]) => ({
    id,
    title,
  }))
}

/** Returns the area of an id: `PER` of PER09, `I18` of I1804; `unknown` when no area has such ids. */
export function areaOf(id) {
  return AREAS.find(area => new RegExp(`^${area}\\d{2}$`).test(id)) ?? 'unknown'
}

/** Returns all ids in a text; expands ranges such as API01–API36. */
export function readIds(text) {
  return [...text.matchAll(RANGE)].flatMap(match => expandRange(match[1], match[2] ?? match[1]))
}

/** Returns both ends and all ids between them; only the two ends when these are of two areas or in the wrong order. */
export function expandRange(first, last) {
  const area = areaOf(first)
  const from = Number(first.slice(area.length))
  const to = Number(last.slice(area.length))
  if (area === 'unknown' || area !== areaOf(last) || to < from) return [...new Set([first, last])]
  return Array.from({ length: to - from + 1 }, (_, step) => area + String(from + step).padStart(2, '0'))
}

/** Returns the ids in the titles of a test file: `{ id, line }`. */
export function findNamedIds(source) {
  const blanked = blankLiterals(source)
  const literals = readLiterals(source)
  return findTestCalls(blanked).flatMap(({ title }) =>
    literals
      .filter(literal => literal.start >= title.start && literal.end <= title.end)
      .flatMap(literal => citeEach(readIds(literal.text), source, literal.start)),
  )
}

/** Returns the ids that are a whole literal, as in `{ row: 'PER09' }` or `['PER09, PER10', …]`. */
export function findTabledIds(source) {
  return readLiterals(source)
    .filter(literal => ONLY_IDS.test(literal.text))
    .flatMap(literal => citeEach(readIds(literal.text), source, literal.start))
    .filter(cited => OF_KNOWN_AREA.test(cited.id))
}

/** Returns which requirements the files name, by area. Files are `{ path, text }`. */
export function measureCoverage(rows, files) {
  const titles = new Map(rows.map(row => [row.id, row.title]))
  const read = files.map(scanFile)
  const citations = read.flatMap(file => file.citations)
  const places = new Map()
  for (const { id, path } of citations) places.set(id, (places.get(id) ?? new Set()).add(path))
  const named = rows
    .filter(row => places.has(row.id))
    .map(row => ({ ...row, files: [...places.get(row.id)] }))
  return {
    areas: AREAS.map(area => measureArea(area, rows, places)).filter(area => area.rows > 0),
    missing: rows.filter(row => !places.has(row.id)),
    named,
    namedByStructureOnly: named.filter(row => row.files.every(path => path.startsWith('tests/structure/'))),
    unknown: citations.filter(cited => !titles.has(cited.id)),
    notRun: read.flatMap(file => file.notRun),
    withoutReason: read.flatMap(file => file.withoutReason),
  }
}

/** Returns the report: a table of the areas, the requirements without a test, the unknown ids, the tests that are left out. */
export function formatReport(coverage) {
  const total = sumAreas(coverage.areas)
  const lines = ['area   rows  named  missing', ...[...coverage.areas, total].map(formatArea)]
  if (coverage.namedByStructureOnly.length > 0) {
    lines.push('', 'Named only by tests/structure (no test of behaviour):')
    lines.push(`  ${coverage.namedByStructureOnly.map(row => row.id).join(' ')}`)
  }
  if (coverage.missing.length > 0) lines.push('', 'No test names:')
  for (const row of coverage.missing) lines.push(`  ${row.id.padEnd(6)} ${row.title}`)
  if (coverage.unknown.length > 0)
    lines.push('', 'Unknown ids (correct the test title, or add the requirement to docs/requirements.md):')
  for (const cited of coverage.unknown) lines.push(`  ${cited.id.padEnd(6)} ${cited.path}:${cited.line}`)
  if (coverage.notRun.length > 0)
    lines.push('', 'Tests that never run (give them a condition: `it.runIf(isFullRun)`, or delete them):')
  for (const { path, line } of coverage.notRun) lines.push(`  ${path}:${line}`)
  if (coverage.withoutReason.length > 0)
    lines.push('', "Tests that are left out without a reason (remove `.only`, and write `skip('why')`):")
  for (const { path, line } of coverage.withoutReason) lines.push(`  ${path}:${line}`)
  return `${lines.join('\n')}\n`
}

function findTestCalls(blanked) {
  return [...blanked.matchAll(CALL)]
    .map(match => readTestCall(blanked, match))
    .filter(call => call !== undefined)
}

// `it.each(table)('name', …)`, `it.each<Row>(table)('name', …)` and it.each`table`('name', …)
// have the title behind the table, `it('name', …)` in the first parentheses,
// `it.runIf(condition).each(table)('name', …)` behind the condition and the table.
function readTestCall(blanked, match) {
  let at = match.index + match[0].length
  let modifiers = match[1]
  let isRun = !NOT_RUN.test(modifiers)
  let isOnly = ONLY.test(modifiers)
  if (blanked[at] === '<') at = skipTypeArguments(blanked, at)
  while (/\.(?:each|for|skipIf|runIf)$/.test(modifiers)) {
    const end = blanked[at] === '`' ? blanked.indexOf('`', at + 1) : findClosing(blanked, at)
    if (end < 0) return undefined
    const [next] = /^\s*(?:\.\w+)*\s*/.exec(blanked.slice(end + 1))
    modifiers = next.trim()
    isRun &&= !NOT_RUN.test(modifiers)
    isOnly ||= ONLY.test(modifiers)
    at = end + 1 + next.length
    if (blanked[at] === '<') at = skipTypeArguments(blanked, at)
  }
  const end = blanked[at] === '(' ? findClosing(blanked, at) : -1
  if (end < 0) return undefined
  const title = { start: at + 1, end: findEndOfArgument(blanked, at + 1) }
  const options = blanked.slice(title.end + 1, end)
  isRun &&= !NOT_RUN_OPTION.test(options)
  isOnly ||= ONLY_OPTION.test(options)
  return { start: match.index, end, title, isRun, isOnly }
}

function skipTypeArguments(blanked, open) {
  let depth = 0
  for (let at = open; at < blanked.length; at += 1) {
    if (blanked[at] === '<') depth += 1
    if (blanked[at] === '>' && blanked[at - 1] !== '=') depth -= 1
    if (depth === 0) return at + 1
  }
  return blanked.length
}

function findEndOfArgument(blanked, start) {
  let depth = 0
  for (let at = start; at < blanked.length; at += 1) {
    if ('([{'.includes(blanked[at])) depth += 1
    if (')]}'.includes(blanked[at])) depth -= 1
    if (depth < 0 || (depth === 0 && blanked[at] === ',')) return at
  }
  return blanked.length
}

// A title that is only an id matches both searches and counts once.
function scanFile({ path, text }) {
  const { run, lines } = blankNotRun(text)
  const found = [...findNamedIds(run), ...findTabledIds(run)]
  const byPlace = new Map(found.map(cited => [`${cited.id}:${cited.line}`, { ...cited, path }]))
  return {
    citations: [...byPlace.values()],
    notRun: lines.map(line => ({ path, line })),
    withoutReason: findWithoutReason(text).map(line => ({ path, line })),
  }
}

/** Returns the lines that leave tests out and give no reason: `.only` and `skip()`. */
function findWithoutReason(source) {
  const blanked = blankLiterals(source)
  const only = findTestCalls(blanked).filter(({ isOnly }) => isOnly)
  const skips = [...blanked.matchAll(BARE_SKIP)]
  return [...only.map(({ start }) => start), ...skips.map(({ index }) => index)].map(start =>
    lineOf(source, start),
  )
}

/**
 * Returns the source with spaces in place of the tests and blocks that never run, and the lines of these; a test in such a
 * block has no line of its own.
 */
function blankNotRun(source) {
  let run = source
  const lines = []
  for (const { start, end, isRun } of findTestCalls(blankLiterals(source))) {
    if (isRun || run[start] === ' ') continue
    run = run.slice(0, start) + run.slice(start, end).replaceAll(/[^\n]/g, ' ') + run.slice(end)
    lines.push(lineOf(source, start))
  }
  return { run, lines }
}

function lineOf(source, offset) {
  return source.slice(0, offset).split('\n').length
}

function citeEach(ids, source, offset) {
  const line = lineOf(source, offset)
  return ids.map(id => ({ id, line }))
}

function measureArea(area, rows, places) {
  const own = rows.filter(row => areaOf(row.id) === area)
  const named = own.filter(row => places.has(row.id)).length
  return { area, rows: own.length, named, missing: own.length - named }
}

function sumAreas(areas) {
  const sum = key => areas.reduce((total, area) => total + area[key], 0)
  return { area: 'all', rows: sum('rows'), named: sum('named'), missing: sum('missing') }
}

function formatArea({ area, rows, named, missing }) {
  return `${area.padEnd(5)}${String(rows).padStart(6)}${String(named).padStart(7)}${String(missing).padStart(9)}`
}

// These two test files contain made-up ids.
const madeUp = ['requirements/coverage.test.ts', 'structure/citations.test.ts']

function readTestFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:ts|tsx|mts)$/.test(entry.name) && !entry.name.includes('.d.'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !madeUp.includes(relative(folder, path)))
    .toSorted()
    .map(path => ({ path: join('tests', relative(folder, path)), text: readFileSync(path, 'utf8') }))
}

function main() {
  const rows = readRows(readFileSync(new URL('../../docs/requirements.md', import.meta.url), 'utf8'))
  const coverage = measureCoverage(rows, readTestFiles(fileURLToPath(new URL('..', import.meta.url))))
  const asJson = process.argv.includes('--json')
  process.stdout.write(asJson ? `${JSON.stringify(coverage, null, 2)}\n` : formatReport(coverage))
  if ([coverage.unknown, coverage.notRun, coverage.withoutReason].some(found => found.length > 0))
    process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
