/**
 * `npm test`: runs the checks below and the build in parallel, then, if all checks pass, the tests of the projects
 * below, and prints a summary. The last line is for programs: `N passed, N failed, N skipped`. `node tests/run/run.mjs check`
 * ends after the checks; with names of projects, as in `npm run test:full`, it runs only the tests of these projects.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import { createCountReporter } from './count-reporter.mjs'
import { FileOrder } from './file-order.mjs'
import { describeRun, lastLine } from './summary.mjs'

const root = join(import.meta.dirname, '../..')
const checked = ['src', 'sw', 'server', 'tests', 'vite.config.ts']
const checks = {
  // By default `tsc` has four checkers for each tsconfig.json, and each of them checks the shared types again.
  types: ['tsc', '-b', '--checkers', '1'],
  lint: ['oxlint', '--type-aware', '--deny-warnings', ...checked],
  format: ['oxfmt', '--check', ...checked],
  // Unused files, exports and dependencies.
  unused: ['knip'],
}
const projects = ['unit', 'store', 'stories', 'server', 'journeys']

const startedMs = performance.now()
const requested = process.argv.slice(2)
const wanted = requested.length === 0 ? projects : requested.filter(name => name !== 'check')
const hasChecks = requested.includes('check') || requested.length === 0
// The build and the checks leave processors idle when they run alone. If this build fails, the tests build again and say why.
const building =
  hasChecks && wanted.includes('journeys')
    ? run(process.execPath, ['server/start/start.mjs', '--build-only'])
    : undefined
const ran = hasChecks ? await runChecks() : []
const isChecked = ran.every(({ failed }) => failed === 0)
await building
const tested = isChecked && wanted.length > 0 ? await runTests(wanted) : undefined

const counts = [...ran, ...(tested?.projects ?? [])]
const notRun = tested === undefined ? wanted : []
process.stdout.write(
  `\n${describeRun({ counts, report: tested, notRun, wallMs: performance.now() - startedMs, cpuSeconds: readCpuSeconds() })}\n`,
)
process.stdout.write(`${lastLine(counts)}\n`)
// Exit although a test may have left a handle open.
process.exit(counts.some(({ failed }) => failed > 0) ? 1 : 0)

/** Runs the checks. Prints the output of a check as a whole, and only when it fails. */
async function runChecks() {
  return Promise.all(
    Object.entries(checks).map(async ([name, [program, ...options]]) => {
      const { code, output } = await run(join(root, 'node_modules/.bin', program), options)
      process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'failed'}\n`)
      if (code !== 0) process.stdout.write(output)
      return { project: name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
    }),
  )
}

/** Returns the report of count-reporter.mjs. A run without tests, or with a failure status of Vitest, counts as failed. */
async function runTests(names) {
  const { report, ...reporter } = createCountReporter()
  const vitest = await startVitest('test', [], {
    run: true,
    // Vitest refuses `.only` by itself only where CI is set.
    allowOnly: false,
    project: names,
    reporters: ['default', reporter],
    sequence: { sequencer: FileOrder },
  })
  await vitest.close()
  const isCounted = report.projects.some(
    ({ failed, passed }) => failed > 0 || (passed > 0 && !process.exitCode),
  )
  if (!isCounted) report.projects.push({ project: 'vitest', passed: 0, failed: 1, skipped: 0 })
  return report
}

/** Runs a program in this checkout, and collects its output. */
function run(program, options) {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(program, options, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The compiler and the linter are Go programs: a larger heap costs little memory and saves collections.
      env: { GOGC: '300', ...process.env },
      shell: process.platform === 'win32',
    })
    const collect = chunk => (output += String(chunk))
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', error => resolve({ code: 1, output: `${output}${String(error)}\n` }))
    child.once('close', code => resolve({ code: code ?? 1, output }))
  })
}

/** Returns the CPU time of this process and its ended child processes, in seconds; undefined without /proc. */
function readCpuSeconds() {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    // Fields 14 to 17 of proc(5): user and system time of this process and of its children, in hundredths of a second.
    return afterName.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return undefined
  }
}
