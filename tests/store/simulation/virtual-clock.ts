/** The clock of one story: no timer of the machine runs, so that a story always goes the same way. */
export type VirtualClock = ReturnType<typeof createVirtualClock>

/** That of the machine: `installVirtualPlatform` replaces the global one later. */
const { setImmediate: setMachineImmediate } = globalThis

/** A story has fewer than 10,000 events. In one that reaches `maxEvents`, a page writes or reads without end. */
export const maxEvents = 50_000

/** `afterEvent` runs after each timer, when no promise has work left. After `maxEvents` no timer runs. */
export function createVirtualClock(afterEvent: () => void) {
  const startMs = 1_800_000_000_000
  let time = startMs
  let count = 0
  type Timer = { at: number; run: () => void; isCancelled: boolean }
  /** In the order in which they run. */
  const timers: Timer[] = []

  function after(milliseconds: number, run: () => void): () => void {
    const timer: Timer = { at: time + Math.max(0, milliseconds), run, isCancelled: false }
    let index = timers.length
    while (index > 0 && (timers[index - 1]?.at ?? 0) > timer.at) index -= 1
    timers.splice(index, 0, timer)
    return () => {
      timer.isCancelled = true
    }
  }

  return {
    now: () => time,
    elapsed: () => time - startMs,
    count: () => count,
    after,
    sleep: (milliseconds: number) => new Promise<void>(resolve => void after(milliseconds, resolve)),
    async pass(milliseconds: number) {
      const end = time + milliseconds
      await settle()
      for (;;) {
        const next = timers[0]
        if (!next || next.at > end || count >= maxEvents) break
        timers.shift()
        if (next.isCancelled) continue
        time = Math.max(time, next.at)
        count += 1
        next.run()
        await settlePromises()
        afterEvent()
      }
      time = end
    },
  }
}

/** No promise has work left at the next turn of the event loop, because nothing here waits for the machine. */
function settle(): Promise<void> {
  return new Promise(resolve => void setMachineImmediate(resolve))
}

/** As `settle`, but without a turn of the event loop: such turns would take a tenth of the running time of a story. */
async function settlePromises(): Promise<void> {
  // After an await, Node runs the callback of `nextTick` only when no promise has work left.
  await Promise.resolve()
  await new Promise<void>(resolve => process.nextTick(resolve))
}
