/** All times are milliseconds since 1970, by the clock of the browser or of this process. */
export type Step = { name: string; tapMs: number; usableMs: number }

/** A request, as the phone sees it: from its sending to the last byte of its response. */
export type RequestSpan = { path: string; startMs: number; endMs: number }
export type Arrival = { atMs: number; bytes: number }
export type LongTask = { atMs: number; durationMs: number }

export type Recording = {
  steps: readonly Step[]
  requests: readonly RequestSpan[]
  arrivals: readonly Arrival[]
  tasks: readonly LongTask[]
}

export type StepFigures = {
  name: string
  /** Received from the tap until the next screen was usable. */
  bytes: number
  /** Received after that, until the next tap. */
  bytesAfterUsable: number
  requestsInRow: number
  waitMs: number
  /** The longest task from this tap to the next; 0 when no task took 50 ms. */
  longestTaskMs: number
}

/** Divides the recording at the taps. The last step lasts until the end of the recording. */
export function figuresOfSteps({ steps, requests, arrivals, tasks }: Recording): StepFigures[] {
  const sorted = steps.toSorted((one, other) => one.tapMs - other.tapMs)
  return sorted.map(({ name, tapMs, usableMs }, index) => {
    const nextTapMs = sorted[index + 1]?.tapMs ?? Infinity
    const endOfWaitMs = Math.min(usableMs, nextTapMs)
    const shown = requests.filter(({ startMs, endMs }) => startMs >= tapMs && endMs <= endOfWaitMs)
    return {
      name,
      bytes: bytesBetween(arrivals, tapMs, endOfWaitMs),
      bytesAfterUsable: bytesBetween(arrivals, usableMs, nextTapMs),
      requestsInRow: longestSequence(shown),
      waitMs: usableMs - tapMs,
      longestTaskMs: Math.max(
        0,
        ...tasks.filter(({ atMs }) => atMs >= tapMs && atMs < nextTapMs).map(({ durationMs }) => durationMs),
      ),
    }
  })
}

function bytesBetween(arrivals: readonly Arrival[], fromMs: number, untilMs: number): number {
  return arrivals
    .filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Returns the length of the longest chain of requests in which each begins when the one before has ended, or later. */
export function longestSequence(requests: readonly RequestSpan[]): number {
  let length = 0
  let lastEndMs = -Infinity
  // The request that ends first leaves most room for the others.
  for (const { startMs, endMs } of requests.toSorted((one, other) => one.endMs - other.endMs))
    if (startMs >= lastEndMs) {
      length += 1
      lastEndMs = endMs
    }
  return length
}
