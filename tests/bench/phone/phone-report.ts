import { dateInDays } from '#support/data/dates.ts'
import type { Outcome } from '../../engines/engine-fixture.ts'
import { kib, markdown } from '../table.ts'
import { growthOf, isGrowing } from './growth.ts'
import { cpuSlowdown, heapLimitMiB } from './old-phone.ts'
import { type Rest, restMs } from './rest.ts'
import { keysOfTenMinutes, type TypedPoint } from './typing.ts'
import type { PageWork } from './watch-page.ts'

const heapGoalMiB = 40

type Figures = { version: string; journey: Outcome; points: TypedPoint[]; rests: Rest[] }

export function describePhone({ version, journey, points, rests }: Figures): string {
  return [
    introduction,
    `Measured on ${dateInDays(0)} in ${version}.`,
    `## The journey\n\n${describeJourney(journey)}`,
    `## Memory in the form\n\n${describeMemory(points)}`,
    `## At rest\n\n${describeRests(rests)}`,
  ].join('\n\n')
}

const introduction = `# Bench of an old phone

\`npm run bench:phone\` repeats this report. It needs about 10 minutes, on any machine: neither memory nor wake-ups depend on other
programs. It uses Chromium 106 where \`npm run test:engines\` has installed it, else the present Chromium.

The page is 360 × 640 with CPU ÷ ${cpuSlowdown}. \`--enable-low-end-device-mode\` and a limit of ${heapLimitMiB} MiB for the old objects of JavaScript
stand in for a phone with 1 GB; they do not limit the other memory of the browser. Heap: \`JSHeapUsedSize\` of the page after a
garbage collection, when everything typed is saved on the server. Ten minutes of typing are ${keysOfTenMinutes.toLocaleString('en')} keys, typed without their
pauses. At rest the page is visible and has no input for ${restMs / 1_000} s of real time. Timers, frames, requests and writes of the page are
counted; the bytes are those that reach the portal, also from the service worker.`

function describeJourney({ steps }: Outcome): string {
  const failed = steps.find(({ result }) => result !== 'green')
  const seconds = steps.reduce((total, step) => total + step.seconds, 0)
  if (failed) return `**Stopped** at “${failed.name}”: ${failed.reason ?? ''}`
  return `From sign-in to the receipt without a connection: all ${steps.length} steps pass, in ${Math.round(seconds)} s, which depend on other programs.`
}

function describeMemory(points: readonly TypedPoint[]): string {
  const table = markdown(
    ['keys', 'heap KiB', 'nodes', 'listeners'],
    points.map(({ keys, heapBytes, nodes, listeners }) => [
      String(keys),
      kib(heapBytes),
      String(nodes),
      String(listeners),
    ]),
  )
  const tenMinutesMiB =
    (points.find(({ keys }) => keys === keysOfTenMinutes)?.heapBytes ?? Number.NaN) / 2 ** 20
  const verdicts = markdown(
    ['figure', 'measured', 'goal', 'met'],
    [
      [
        'heap after 10 minutes, MiB',
        tenMinutesMiB.toFixed(1),
        `≤ ${heapGoalMiB}`,
        met(tenMinutesMiB <= heapGoalMiB),
      ],
      growthRow('growth of the heap, KiB', points, ({ heapBytes }) => heapBytes / 1_024),
      growthRow('growth of the nodes', points, ({ nodes }) => nodes),
      growthRow('growth of the listeners', points, ({ listeners }) => listeners),
    ],
  )
  const explanation =
    'The growth is the slope of a straight line through all points, for 1,000 keys, with its standard error. It is none when it is at most twice that error.'
  return [table, verdicts, explanation].join('\n\n')
}

function growthRow(
  name: string,
  points: readonly TypedPoint[],
  read: (point: TypedPoint) => number,
): string[] {
  const growth = growthOf(points.map(point => ({ keys: point.keys, value: read(point) })))
  const measured = `${growth.slope.toFixed(1)} ± ${growth.standardError.toFixed(1)}`
  return [name, measured, 'none', met(!isGrowing(growth))]
}

function describeRests(rests: readonly Rest[]): string {
  const table = markdown(
    ['state', 'timers', 'frames', 'requests', 'bytes sent', 'writes', 'animations'],
    rests.map(rest => [
      rest.name,
      countOf(rest, 'timer'),
      countOf(rest, 'frame'),
      String(rest.requests.length),
      String(rest.sentBytes),
      countOf(rest, 'write'),
      String(rest.animations),
    ]),
  )
  const lists = rests.flatMap(({ name, work, requests }) => {
    const causes = countEach([...work.map(({ what }) => what), ...requests.map(url => new URL(url).pathname)])
    return causes.length === 0 ? [] : [`${name}: ${causes.join('; ')}.`]
  })
  return [table, ...lists].join('\n\n')
}

function countOf({ work }: Rest, kind: PageWork['kind']): string {
  return String(work.filter(each => each.kind === kind).length)
}

function countEach(texts: readonly string[]): string[] {
  return [...new Set(texts)].map(text => `${texts.filter(each => each === text).length} × ${text}`)
}

function met(isMet: boolean): string {
  return isMet ? 'yes' : '**no**'
}
