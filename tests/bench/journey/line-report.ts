import type { Line } from '../slow-proxy.ts'
import { kib, markdown, seconds } from '../table.ts'
import { figuresOfSteps, type Recording, type StepFigures } from './step-figures.ts'
import type { ReceiptTimes } from './time-receipt.ts'

export type LineRun = {
  recording: Recording
  line: Line
  decisionToPaidMs: number | undefined
  receipt: ReceiptTimes
}

/** What the applicant waits for on a line: each step, the sums, the payment and the receipt. */
export function describeLine({ recording, line, decisionToPaidMs, receipt }: LineRun): string {
  const steps = figuresOfSteps(recording)
  const rows = steps.map(step => rowOf(step, line))
  const sum = (value: (step: StepFigures) => number) => steps.reduce((total, step) => total + value(step), 0)
  const most = (value: (step: StepFigures) => number) => Math.max(...steps.map(value))
  const bytes = sum(step => step.bytes + step.bytesBehind)
  rows.push([
    '**sum**, or most in a row and longest task',
    kib(sum(step => step.bytes)),
    kib(sum(step => step.bytesBehind)),
    String(most(step => step.requestsInRow)),
    seconds(sum(step => step.waitMs)),
    '',
    most(step => step.longestTaskMs).toFixed(0),
  ])
  const goals = [
    ['everything received, KiB', kib(bytes), '≤ 330, cold'],
    ['most requests in a row after a tap', String(most(step => step.requestsInRow)), '≤ 2'],
    ['longest wait after a tap, s', seconds(most(step => step.waitMs)), '≤ 3'],
    ['longest task, ms', most(step => step.longestTaskMs).toFixed(0), '≤ 200'],
    ['from the decision of the payer to the page that says paid, s', seconds(decisionToPaidMs), '≤ 2'],
    ['from the tap to the receipt, s', shownAfter(receipt.onlineMs), '≤ 0.5'],
    ['the same without a connection, s', shownAfter(receipt.offlineMs), '≤ 0.5'],
  ]
  return `${markdown(['figure', 'measured', 'goal on the slow line'], goals)}

${markdown(
  ['step', 'KiB until usable', 'KiB behind', 'requests in a row', 'wait s', 'wait ÷ line', 'longest task ms'],
  rows,
)}
`
}

function rowOf(step: StepFigures, line: Line): string[] {
  const { bytes, requestsInRow, waitMs, longestTaskMs } = step
  const lineMs = requestsInRow * 2 * line.oneWayDelayMs + bytes / line.bytesPerMs
  return [
    step.name,
    kib(bytes),
    kib(step.bytesBehind),
    String(requestsInRow),
    seconds(waitMs),
    requestsInRow > 0 ? (waitMs / lineMs).toFixed(1) : '–',
    longestTaskMs === 0 ? '< 50' : longestTaskMs.toFixed(0),
  ]
}

function shownAfter(ms: number | undefined): string {
  return ms === undefined ? 'not shown' : seconds(ms)
}
