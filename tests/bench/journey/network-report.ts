import type { Network } from '../slow-proxy.ts'
import { kib, markdown, seconds } from '../table.ts'
import { figuresOfSteps, type Recording, type StepFigures } from './step-figures.ts'
import type { ReceiptTimes } from './time-receipt.ts'

export type NetworkRun = {
  recording: Recording
  network: Network
  decisionToPaidMs: number | undefined
  receipt: ReceiptTimes
}

/** What the applicant waits for on a network: each step, the sums, the payment and the receipt. */
export function describeNetworkRun({ recording, network, decisionToPaidMs, receipt }: NetworkRun): string {
  const steps = figuresOfSteps(recording)
  const rows = steps.map((step, index) => rowOf(step, { network, opensConnection: index === 0 }))
  const sum = (value: (step: StepFigures) => number) => steps.reduce((total, step) => total + value(step), 0)
  const most = (value: (step: StepFigures) => number) => Math.max(...steps.map(value))
  const bytes = sum(step => step.bytes + step.bytesAfterUsable)
  rows.push([
    '**sum**, but the largest number of requests in a row and the longest task',
    kib(sum(step => step.bytes)),
    kib(sum(step => step.bytesAfterUsable)),
    String(most(step => step.requestsInRow)),
    seconds(sum(step => step.waitMs)),
    '',
    taskText(most(step => step.longestTaskMs)),
  ])
  const goals = [
    ['everything received, KiB', kib(bytes), '≤ 330 with an empty cache'],
    ['most requests in a row after a tap', String(most(step => step.requestsInRow)), '≤ 2'],
    ['longest wait after a tap, s', seconds(most(step => step.waitMs)), '≤ 3'],
    ['longest task, ms', taskText(most(step => step.longestTaskMs)), '≤ 200'],
    ['from the decision of the payer to the page that says paid, s', seconds(decisionToPaidMs), '≤ 2'],
    ['from the tap to the receipt, s', shownAfter(receipt.onlineMs), '≤ 0.5'],
    ['from the tap to the receipt without a connection, s', shownAfter(receipt.offlineMs), '≤ 0.5'],
  ]
  return `${markdown(['figure', 'measured', 'goal on the slow network'], goals)}

${markdown(
  [
    'step',
    'KiB until usable',
    'KiB after that, until the next tap',
    'requests in a row',
    'wait s',
    'wait ÷ network',
    'longest task ms',
  ],
  rows,
)}
`
}

/** The round trips of TCP and of TLS 1.3, before the first request. */
const connectionRoundTrips = 2

type RowOptions = { network: Network; opensConnection: boolean }

function rowOf(step: StepFigures, { network, opensConnection }: RowOptions): string[] {
  const { bytes, requestsInRow, waitMs, longestTaskMs } = step
  const roundTrips = requestsInRow + (opensConnection ? connectionRoundTrips : 0)
  const networkMs = roundTrips * 2 * network.oneWayDelayMs + bytes / network.bytesPerMs
  return [
    step.name,
    kib(bytes),
    kib(step.bytesAfterUsable),
    String(requestsInRow),
    seconds(waitMs),
    requestsInRow > 0 ? (waitMs / networkMs).toFixed(1) : '–',
    taskText(longestTaskMs),
  ]
}

/** Browsers report only tasks of 50 ms and more. */
function taskText(ms: number): string {
  return ms === 0 ? '< 50' : ms.toFixed(0)
}

function shownAfter(ms: number | undefined): string {
  return ms === undefined ? 'not shown' : seconds(ms)
}
