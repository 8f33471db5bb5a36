// `npm run test:hours`: runs the server tests with the clock at other hours (UTC) and days. libfaketime changes the clock
// only for Node and every process that the tests start, including PostgreSQL, and leaves the monotonic clocks.
// Usage: node tests/hours/run.mjs [--only 10:30]... [--project server]... [test files]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFaketime } from './faketime.mjs'
import { listMoments } from './moments.mjs'

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    project: { type: 'string', multiple: true, default: ['server'] },
  },
})
const all = listMoments(new Date())
const moments = all.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
if (moments.length === 0) stop(`--only takes one of: ${all.map(({ name }) => name).join(', ')}`, 1)

const library = findFaketime()
if (library === undefined)
  stop('No test ran, because libfaketime is missing. Install it (Debian: apt-get install faketime).', 0)

const rows = moments.map(runAt)
printTable(rows)
process.exitCode = rows.every(({ isGood }) => isGood) ? 0 : 1

function runAt({ name, at }) {
  process.stdout.write(`\nThe clock shows ${at.toISOString()} (${name})\n`)
  const folder = mkdtempSync(join(tmpdir(), 'hours-'))
  const report = join(folder, 'report.json')
  const projects = values.project.flatMap(project => ['--project', project])
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const startedMs = performance.now()
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...reporters, ...files],
    { stdio: 'inherit', env: { ...process.env, ...clockSettings(at) } },
  )
  const minutes = (performance.now() - startedMs) / 60_000
  const result = readReport(report)
  rmSync(folder, { recursive: true })
  return { name, at, minutes, isGood: status === 0, ...result }
}

/** Sets an offset and not a start time, so that a process that starts later gets a later time. */
function clockSettings(at) {
  const seconds = Math.round((at.getTime() - Date.now()) / 1_000)
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    // libfaketime's versions have two names for this setting.
    DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    // File times stay real.
    NO_FAKE_STAT: '1',
    TIME_UNDER_TEST: at.toISOString(),
  }
}

function readReport(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const failures = testResults.flatMap(file => {
      const tests = file.assertionResults.filter(({ status }) => status === 'failed')
      if (file.status === 'failed' && tests.length === 0) return [`${file.name}: ${file.message}`]
      return tests.map(({ fullName }) => `${file.name}: ${fullName}`)
    })
    return { files: testResults.length, passed: numPassedTests, failed: numFailedTests, failures }
  } catch {
    return { files: 0, passed: 0, failed: 0, failures: ['The run ended without a report.'] }
  }
}

function printTable(results) {
  const lines = [
    ['moment', 'clock at the start (UTC)', 'files', 'passed', 'failed', 'minutes'],
    ...results.map(({ name, at, files: count, passed, failed, minutes }) =>
      [name, at.toISOString().slice(0, 16), count, passed, failed, minutes.toFixed(1)].map(String),
    ),
  ]
  const widths = lines[0].map((_, column) => Math.max(...lines.map(line => line[column].length)))
  for (const line of lines)
    process.stdout.write(`\n| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`)
  process.stdout.write('\n\n')
  for (const { name, failures } of results)
    for (const failure of failures) process.stdout.write(`${name}: ${failure}\n`)
}

function stop(line, code) {
  process.stdout.write(`${line}\n`)
  process.exit(code)
}
