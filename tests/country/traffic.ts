import { quantile } from '#support/checks/quantile.ts'
import type { Answer } from './http-client.ts'

type Exchange = {
  method: string
  path: string
  /** Undefined: no answer came, or the connection broke. */
  answer: Answer | undefined
  milliseconds: number
}

/** What happened to the requests of a time span. */
type TrafficFigures = {
  requests: number
  /** Answers with another status than 5xx. */
  answered: number
  /** 503 with the reason `busy`: the process refuses calls at their arrival (D92). */
  busy: number
  /** 503 of a process that the database did not serve, 502 and 504 of nginx, and requests that got no answer. */
  failed: number
  /** Any 500: an error in the server. */
  bugs: number
  /** Answers with 503 that do not say when to try again. */
  withoutRetryAfter: number
  /** Of what `answered` counts, without the polls of a payment that the server may hold open. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** Answers to polls of a payment with `wait=true`. The server answers them when the payment ends, or after 12 s (D68). */
  held: number
  heldP50Ms: number
  heldP95Ms: number
  /** The longest time in which no request was `answered`. */
  longestGapMs: number
}

/** Records all exchanges of a test. */
export type Traffic = {
  record(exchange: Exchange): void
  /** Begins a new time span and returns the figures of the one before it. */
  take(): TrafficFigures
  /** Milliseconds from a moment of `performance.now()` to the next answer that `answered` counts; Infinity when none came. */
  firstAnswerAfter(momentMs: number): number
  /** The first failures, for the message of a failed test. */
  firstFailures(): string[]
}

const maxFirstFailures = 20

export function createTraffic(): Traffic {
  let milliseconds: number[] = []
  let heldMilliseconds: number[] = []
  let counts = noCounts()
  let withoutRetryAfter = 0
  let lastAnswerAt = performance.now()
  let longestGapMs = 0
  const firstFailures: string[] = []
  const answeredAtMs: number[] = []

  function record({ method, path, answer, milliseconds: taken }: Exchange): void {
    const kind = kindOf(answer)
    counts[kind] += 1
    if (answer?.status === 503 && answer.retryAfterSeconds === undefined) withoutRetryAfter += 1
    if (kind === 'answered') {
      const list = path.endsWith('&wait=true') ? heldMilliseconds : milliseconds
      list.push(taken)
      const now = performance.now()
      longestGapMs = Math.max(longestGapMs, now - lastAnswerAt)
      lastAnswerAt = now
      answeredAtMs.push(now)
    } else if (kind !== 'busy' && firstFailures.length < maxFirstFailures) {
      const pattern = path.replaceAll(/[\da-f-]{36}|\d{6,}/g, '…')
      firstFailures.push(
        `${method} ${pattern}: ${answer?.status ?? 'no answer'} after ${taken.toFixed(0)} ms ${JSON.stringify(answer?.body ?? {})}`,
      )
    }
  }

  function take(): TrafficFigures {
    const share = shareOf(milliseconds)
    const shareOfHeld = shareOf(heldMilliseconds)
    const figures = {
      ...counts,
      withoutRetryAfter,
      requests: Object.values(counts).reduce((sum, count) => sum + count, 0),
      p50Ms: share(0.5),
      p95Ms: share(0.95),
      p99Ms: share(0.99),
      held: heldMilliseconds.length,
      heldP50Ms: shareOfHeld(0.5),
      heldP95Ms: shareOfHeld(0.95),
      longestGapMs: Math.round(Math.max(longestGapMs, performance.now() - lastAnswerAt)),
    }
    milliseconds = []
    heldMilliseconds = []
    counts = noCounts()
    withoutRetryAfter = 0
    longestGapMs = 0
    lastAnswerAt = performance.now()
    return figures
  }

  return {
    record,
    take,
    firstAnswerAfter: momentMs => (answeredAtMs.find(each => each > momentMs) ?? Infinity) - momentMs,
    firstFailures: () => firstFailures,
  }
}

function shareOf(milliseconds: readonly number[]): (part: number) => number {
  const sorted = milliseconds.toSorted((one, other) => one - other)
  return part => (sorted.length === 0 ? 0 : Math.round(quantile(sorted, part)))
}

const noCounts = () => ({ answered: 0, busy: 0, failed: 0, bugs: 0 })

/** The kinds are the fields of these names in `TrafficFigures`. */
export function kindOf(answer: Answer | undefined): 'answered' | 'busy' | 'failed' | 'bugs' {
  if (answer === undefined) return 'failed'
  if (answer.status < 500) return 'answered'
  if (answer.status === 500) return 'bugs'
  return answer.status === 503 && answer.body['reason'] === 'busy' ? 'busy' : 'failed'
}
