import { cpus, totalmem } from 'node:os'
import { describeGoals } from './figures/goals.ts'
import { describeMachine, readLastReport } from './figures/last-report.ts'
import { pageNames } from './figures/page-names.ts'
import { type FigureName, figureByRound, ratioByRound, type Round, spreadOf } from './figures/rounds.ts'
import type { OtherWork } from './journey/quiet-machine.ts'
import { peerFieldCount, peerForm } from './peer-form.ts'
import { kib, markdown, secondsSpread, tenthsSpread } from './table.ts'

export type BenchRun = {
  rounds: readonly Round[]
  other: OtherWork
  date: string
  browserVersion: string
  /** The rest of a sentence that begins with "Lighthouse". */
  lighthouse: string
}

/** `lastReport`: the text of the last report, or an empty one. */
export function describeRun(
  { rounds, other, date, browserVersion, lighthouse }: BenchRun,
  lastReport: string,
): string {
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, Chromium ${browserVersion}`
  return `# Bench

\`npm run bench\`: HTTP/2 over TLS 1.3 with brotli, 400 kbit/s in each direction, round trip 400 ms, CPU ÷ 4, 412 × 823,
empty cache. Each figure is the median of ${rounds.length} rounds, or of every second one for the form libraries; beside a time, in
brackets, is its interquartile range (IQR). A round visits the pages again several times in turn, warm and offline. Of the
times of a page it keeps the mean without the fastest and the slowest quarter. It also types into the pages in turn, on
a fast network, ten keys at a time: first one key every 120 ms, then one every 300 ms (slow key). The form saves after every
slow key.
KiB to ready and when idle: the bytes on the network, with headers and encryption. Script when hydrated: the size of the
uncompressed scripts. Ready: the first text field accepts and paints a real key, and still shows it 150 ms later.
Hydrated: every control works. p95: 95 % of the keys, at one key every 120 ms, are handled within this time.
Heap: after a garbage collection, before the keys. Compare times only as ratios: each round divides its own times, and the
report shows the median of these ratios. The form libraries show a form of ${peerFieldCount} fields
on ${peerForm.length} pages; their own texts stay in English.

${describeMachine(machine, date)}
${describeNoise(rounds, other)}

${describePages(rounds)}

${describeGoals(rounds, readLastReport(lastReport, machine))}

Lighthouse ${lighthouse}
`
}

/**
 * What the machine itself adds: other programs, and the differences between equal rounds of a page that never changes.
 */
function describeNoise(rounds: readonly Round[], { before, after }: OtherWork): string {
  const [first, last] = [before, after].map(percent)
  const variation = (figure: FigureName) => {
    const spread = spreadOf(figureByRound(rounds, { page: pageNames.staticPage, figure }))
    return spread ? percent(spread.iqr / spread.median) : 'an unknown share'
  }
  return `Noise of this machine: other programs used ${first} of the processors before the run and ${last} after. From round to round the static
page varied by ${variation('readyMs')} in the time to ready and ${variation('cpuMsPerKey')} in the CPU for a key (IQR ÷ median).`
}

const percent = (share: number) => `${Math.round(share * 100)} %`

const head = [
  'page',
  'KiB to ready',
  'ready s',
  '÷ static page',
  'hydrated s',
  'script when hydrated KiB',
  'KiB when idle',
  'warm s',
  'offline s',
  'CPU ms/key',
  'CPU ms/slow key',
  'p95 ms',
  'heap KiB',
]

function describePages(rounds: readonly Round[]): string {
  const known = Object.values<string>(pageNames)
  const measured = new Set(rounds.flatMap(round => [...round.keys()]))
  const names = [...known, ...[...measured].filter(name => !known.includes(name))]
  return markdown(
    head,
    names.map(name => rowOf(name, rounds)),
  )
}

function rowOf(page: string, rounds: readonly Round[]): string[] {
  const spread = (figure: FigureName) => spreadOf(figureByRound(rounds, { page, figure }))
  const size = (figure: FigureName) => kib(spread(figure)?.median)
  const ready = { figure: 'readyMs' } as const
  const ratio = spreadOf(ratioByRound(rounds, { page, ...ready }, { page: pageNames.staticPage, ...ready }))
  return [
    page,
    size('bytesToReady'),
    secondsSpread(spread('readyMs')),
    ratio?.median.toFixed(2) ?? '–',
    secondsSpread(spread('hydratedMs')),
    size('scriptBytesWhenHydrated'),
    size('bytesAtIdle'),
    secondsSpread(spread('warmMs')),
    secondsSpread(spread('offlineMs')),
    tenthsSpread(spread('cpuMsPerKey')),
    tenthsSpread(spread('cpuMsPerSlowKey')),
    tenthsSpread(spread('p95Ms')),
    size('heapBytes'),
  ]
}
