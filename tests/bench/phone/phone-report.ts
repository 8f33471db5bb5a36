import { dateInDays } from '#support/data/dates.ts'
import type { Outcome } from '../../engines/engine-fixture.ts'
import { kib, markdown } from '../table.ts'
import { type Growth, growthOf, isGrowing, pointsBetween, typicalGrowth } from './growth.ts'
import { cpuSlowdown, heapLimitMiB, withoutCompilers } from './old-phone.ts'
import { oldVersion } from './report-rule.ts'
import { type Rest, restMs } from './rest.ts'
import { keysOfTenMinutes, keysPerPoint, type TypedPoint } from './typing.ts'
import type { PageWork } from './watch-page.ts'

const heapGoalMiB = 40

type Figures = {
  version: string
  journey: Outcome
  points: TypedPoint[]
  /** Typed where V8 compiles no machine code. */
  interpreted: TypedPoint[]
  rests: Rest[]
}

export function describePhone({ version, journey, points, interpreted, rests }: Figures): string {
  return [
    introduction,
    `Measured on ${dateInDays(0)} in ${version}.`,
    `## The journey\n\n${describeJourney(journey)}`,
    `## Memory in the form\n\n${describeMemory(points, interpreted)}`,
    `## At rest\n\n${describeRests(rests)}`,
  ].join('\n\n')
}

const introduction = `# Bench of an old phone

\`npm run bench:phone\` repeats this report. It needs about 20 minutes, on any machine: neither memory nor wake-ups depend on other
programs. It uses Chromium ${oldVersion} where \`npm run test:engines\` has installed it. With the present Chromium, and when a step of
the journey fails, it prints a report and does not write it.

The page is 360 × 640 with CPU ÷ ${cpuSlowdown}. \`--enable-low-end-device-mode\` and a limit of ${heapLimitMiB} MiB for the old objects of JavaScript
stand in for a phone with 1 GB; they do not limit the other memory of the browser. Heap: \`JSHeapUsedSize\` of the page after a
garbage collection, when everything typed is saved on the server. Ten minutes of typing are ${keysOfTenMinutes.toLocaleString('en')} keys, typed without their
pauses. At rest the page is visible and has no input for ${restMs / 1_000} s of real time. Timers that fire, frames, requests and writes of the
page are counted; the bytes are those that reach the portal, also from the service worker.`

function describeJourney({ steps }: Outcome): string {
  const failed = steps.find(({ result }) => result !== 'green')
  const seconds = steps.reduce((total, step) => total + step.seconds, 0)
  if (failed) return `**Stopped** at “${failed.name}”: ${failed.reason ?? ''}`
  return `From the sign-in until the receipt opens without a connection: all ${steps.length} steps pass, in ${Math.round(seconds)} s. This time depends on other programs.`
}

/** For each: from this number of keys to that one. */
const stages = [
  [200, 1_000],
  [1_000, 3_000],
  [3_000, 6_000],
] as const

/** By then the page has created what it creates once. */
const warmKeys = 2_000

/** A record of a key would need more. */
const bytesOfNoRecord = 1

function describeMemory(points: readonly TypedPoint[], interpreted: readonly TypedPoint[]): string {
  const table = markdown(
    ['keys', 'heap KiB', 'without compilers', 'nodes', 'listeners'],
    points
      .filter(({ keys }) => keys <= 1_000 || keys % 500 === 0)
      .map(({ keys, heapBytes, nodes, listeners }) => [
        keys.toLocaleString('en'),
        kib(heapBytes),
        kib(interpreted.find(each => each.keys === keys)?.heapBytes ?? Number.NaN),
        String(nodes),
        String(listeners),
      ]),
  )
  const growths = markdown(
    ['growth of the heap, KiB for 1,000 keys', 'as it is', 'without compilers'],
    stages.map(stage => [
      stage.map(keys => keys.toLocaleString('en')).join(' to '),
      ...[points, interpreted].map(each => describeGrowth(growthOfHeap(pointsBetween(each, stage)))),
    ]),
  )
  return [table, growths, describeVerdicts(points, interpreted), explanation].join('\n\n')
}

const explanation = `Memory is measured every ${keysPerPoint} keys; the first table leaves out most points after 1,000. The growths of the second table are slopes of
straight lines through all points, with their standard errors. “Without compilers” is the
same typing in a browser whose V8 compiles no machine code (\`${withoutCompilers.join(' ')}\`): there the heap has hardly more than what
the page keeps. The growth of this heap is the median of the growths from each point to the next, after ${warmKeys.toLocaleString('en')} keys, when the page
has created what it creates once; ${bytesOfNoRecord} byte a key or less is none. Its steps up are bytecode that V8 creates when
a function or a regular expression is first used; its steps down are probably bytecode that V8 drops when it was not used for a while.
The growth of the heap as it is comes from V8, which compiles one function after the other,
with CPU ÷ ${cpuSlowdown} for a long time.

The bench takes no snapshots. Snapshots of 2026-11-26, as it is, differ by 333 KiB from 1,000 to 3,000 keys (code and notes about it 303, the
browser’s own records of long tasks and requests 30, objects, arrays and texts 0.3), and by 221 KiB from 3,000 to 5,000 (211, 7, 4).
Without compilers they differ by 12 KiB from 2,000 to 4,000 keys: the records of the browser, whose number it limits, and 3 texts.`

function describeVerdicts(points: readonly TypedPoint[], interpreted: readonly TypedPoint[]): string {
  const tenMinutesMiB =
    (points.find(({ keys }) => keys === keysOfTenMinutes)?.heapBytes ?? Number.NaN) / 2 ** 20
  const warm = pointsBetween(interpreted, [warmKeys, Number.POSITIVE_INFINITY])
  const bytesPerKey = typicalGrowth(warm.map(({ keys, heapBytes }) => ({ keys, value: heapBytes }))) / 1_000
  return markdown(
    ['figure', 'measured', 'goal', 'met'],
    [
      [
        `heap after ${keysOfTenMinutes.toLocaleString('en')} keys (10 minutes), MiB`,
        tenMinutesMiB.toFixed(1),
        `≤ ${heapGoalMiB}`,
        met(tenMinutesMiB <= heapGoalMiB),
      ],
      [
        'growth of what the page keeps, bytes a key',
        bytesPerKey.toFixed(2),
        'none',
        met(bytesPerKey <= bytesOfNoRecord),
      ],
      growthRow('growth of the nodes', points, ({ nodes }) => nodes),
      growthRow('growth of the listeners', points, ({ listeners }) => listeners),
    ],
  )
}

function growthOfHeap(points: readonly TypedPoint[]): Growth {
  return growthOf(points.map(({ keys, heapBytes }) => ({ keys, value: heapBytes / 1_024 })))
}

function describeGrowth({ slope, standardError }: Growth): string {
  return `${slope.toFixed(1)} ± ${standardError.toFixed(1)}`
}

function growthRow(
  name: string,
  points: readonly TypedPoint[],
  read: (point: TypedPoint) => number,
): string[] {
  const growth = growthOf(points.map(point => ({ keys: point.keys, value: read(point) })))
  return [name, describeGrowth(growth), 'none', met(!isGrowing(growth))]
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
