import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findClockReads, findCallsWithoutTime } from './clock-reads.ts'
import { listFiles, projectRoot } from './source-tree.ts'

/**
 * The files that may read the time of the machine. `reads`: the allowed expressions. `why`: the reason; its subject is the
 * file. All other code gets the clock of the service as an argument, so that tests can set the time.
 */
const allowed: Record<string, { reads: readonly string[]; why: string }> = {
  'src/device/browser-device.ts': {
    reads: ['Date.now', 'performance.now'],
    why: 'defines the clock of the portal',
  },
  'src/device/service-worker.ts': {
    reads: ['Date.now'],
    why: 'measures the time between two reloads of the page, and has no device',
  },
  'sw/caches.ts': {
    reads: ['Date.now'],
    why: 'has no device in the service worker; compares the time with a Date header',
  },
  'server/config/machine-clock.ts': {
    reads: ['Date()', 'machineClock'],
    why: 'defines the clock of the machine',
  },
  'server/monitoring/open-telemetry.ts': {
    reads: ['machineClock'],
    why: 'dates spans, which a collector compares with those of other programs',
  },
  'server/start/main.ts': { reads: ['machineClock'], why: 'sets the start date of the demo certificate' },
  'server/database/database-clock.ts': {
    reads: ['performance.now'],
    why: 'advances the time of the database by the monotonic clock between two comparisons',
  },
  'server/integrations/simulators/simulator.ts': {
    reads: ['machineClock'],
    why: 'simulates a provider, which has its own clock',
  },
  'server/monitoring/logger.ts': {
    reads: ['stdTimeFunctions'],
    why: 'writes the time of the machine into log lines',
  },
  'server/database/bounded-pool.ts': {
    reads: ['performance.now'],
    why: 'measures how long a statement waits for a connection',
  },
  'server/http/health.ts': { reads: ['performance.now'], why: 'uses the result of a probe for one second' },
  'server/start/start.mjs': { reads: ['performance.now'], why: 'measures how long the build takes' },
  'tests/support/providers/slow-clock.ts': {
    reads: ['machineClock'],
    why: 'creates the clock of test servers',
  },
  'tests/support/data/dates.ts': {
    reads: ['machineClock'],
    why: 'computes dates for servers with the real clock',
  },
  'tests/support/servers/reference-back-end/sessions.ts': {
    reads: ['Date.now'],
    why: 'issues tokens of a back end that knows nothing of the clock of the service',
  },
  'tests/support/servers/reference-back-end/appointments.ts': {
    reads: ['Date.now'],
    why: 'offers dates of that back end',
  },
  'tests/support/servers/services-on.ts': {
    reads: ['machineClock'],
    why: 'gives services the clock of the machine when a test sets no other',
  },
  'tests/server/integrations/payment-protocols.test.ts': {
    reads: ['machineClock'],
    why: 'calls simulators, which use the clock of the machine',
  },
  'tests/server/database/machine-time.test.ts': {
    reads: ['machineClock'],
    why: 'compares the time of the machine with the time of the databases',
  },
  'tests/bench/journey/epoch.ts': {
    reads: ['performance.timeOrigin'],
    why: 'compares the times of pages with the times of the network and the server',
  },
  'tests/bench/visit.ts': {
    reads: ['performance.timeOrigin'],
    why: 'compares the time of a page with the times of the network',
  },
  'tests/bench/journey/in-page.ts': {
    reads: ['performance.timeOrigin'],
    why: 'tells the times of pages',
  },
  'tests/support/browsers/stop-clock.ts': { reads: ['Date.now'], why: 'reads the clock of a page' },
  'tests/mutants/run.mjs': { reads: ['Date()'], why: 'writes the day of a run' },
  'tests/hours/run.mjs': { reads: ['Date.now', 'Date()'], why: 'sets the clock that the tests see' },
  'tests/journeys/clocks.test.ts': {
    reads: ['machineClock'],
    why: 'sets the clock of a browser ahead of or behind a server with the real clock',
  },
  'tests/journeys/final-page.test.ts': {
    reads: ['machineClock'],
    why: 'books an appointment at a server with the real clock',
  },
}

const product = readCode('src', 'sw', 'server')
// Tests may measure durations with performance.now. The tests in this folder contain the expressions as examples.
const tests = readCode('tests').filter(({ path }) => !path.startsWith('tests/structure/'))
const reads = [
  ...findClockReads(product),
  ...findClockReads(tests).filter(({ found }) => found !== 'performance.now'),
]

describe('the source files', () => {
  it('read no clock but that of the service, except in the listed files', () => {
    const faults = reads
      .filter(({ path, found }) => !allowed[path]?.reads.includes(found))
      .map(
        ({ path, line, found }) => `${path}:${line} has '${found}': take the time from the service's clock`,
      )
    expect(faults).toEqual([])
  })

  it('use every exception of the list', () => {
    const unused = Object.entries(allowed).flatMap(([path, entry]) =>
      entry.reads
        .filter(found => !reads.some(read => read.path === path && read.found === found))
        .map(found => `${path}: '${found}'`),
    )
    expect(unused).toEqual([])
  })

  it('pass the time of the service to the listed library calls that would otherwise read that of the machine', () => {
    expect(findCallsWithoutTime(product)).toEqual([])
  })
})

describe('findClockReads', () => {
  it.each([
    'const at = Date.now()',
    'read({ now: Date.now })',
    'const at = new Date()',
    'const text = Date()',
    'const at = machineClock.now()',
    'const began = performance.now()',
    'const text = format.format()',
    'sql`select current_date`',
    'sql`select now() > clock_timestamp()`',
    '"default current_timestamp"',
    "sql`where at < 'now'::timestamptz`",
  ])('finds %j', text => {
    expect(findClockReads([{ path: 'server/a.ts', text }])).toHaveLength(1)
  })

  it.each([
    'const at = new Date(0)',
    'const at = clock.now()',
    '// Date.now() may be wrong',
    "const text = 'new Date()'",
    // Tests replace the function `now()` of the database.
    'sql`where held_until > now()`',
    'const at: Date = device.now()',
    'format.format(day)',
  ])('ignores %j', text => {
    expect(findClockReads([{ path: 'server/a.ts', text }])).toEqual([])
  })
})

describe('findCallsWithoutTime', () => {
  it.each([
    ['await jwtVerify(token, key, {})', 'await jwtVerify(token, key, { currentDate: clock.now() })'],
    ['transport.sendMail({ text })', 'transport.sendMail({ text, date: now() })'],
    ['<DayPicker mode="single" />', '<DayPicker mode="single" today={day} />'],
    ['new PDFDocument({})', 'new PDFDocument({ info: { CreationDate: issuedAt } })'],
    ['token.setIssuedAt()', 'token.setIssuedAt(now)'],
  ])('finds %j and ignores %j', (withoutTime, withTime) => {
    expect(findCallsWithoutTime([{ path: 'server/a.tsx', text: withoutTime }])).toHaveLength(1)
    expect(findCallsWithoutTime([{ path: 'server/a.tsx', text: withTime }])).toEqual([])
  })
})

function readCode(...folders: string[]) {
  return folders
    .flatMap(listFiles)
    .filter(path => /\.(?:tsx?|mjs|mts)$/.test(path) && !path.endsWith('.d.ts'))
    .map(path => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }))
}
