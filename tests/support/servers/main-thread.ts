import { existsSync, readFileSync } from 'node:fs'
import { freePort } from './free-port.ts'

/** Whether this system counts the CPU time of a thread; only Linux does. */
export const countsThreadTime = existsSync('/proc/self/schedstat')

/** Measures for how long, at most, the main thread of a server serves no other call. Start the server with `environment`. */
export async function probeMainThread() {
  const port = await freePort()
  const probe = new URL('main-thread-probe.mjs', import.meta.url)
  const ask = async (path: string) => Number(await (await fetch(`http://127.0.0.1:${port}${path}`)).text())
  return {
    environment: { NODE_OPTIONS: `--import ${probe.href}`, PROBE_PORT: String(port) },
    /** Returns the longest turn of the event loop during the work, in milliseconds of CPU time. */
    async longestTurnMs(work: () => Promise<unknown>): Promise<number> {
      await ask('/start')
      await work()
      return ask('/longest')
    },
  }
}

/** CPU time of the calling thread in milliseconds, without the time of other threads and other programs. */
export function ownThreadMs(): number {
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

/** Returns the longest turn of the event loop of the calling thread during the work, in milliseconds of its CPU time. */
export async function longestOwnTurnMs(work: () => Promise<unknown>): Promise<number> {
  let isOn = true
  let last = ownThreadMs()
  let longest = 0
  const turn = () => {
    const now = ownThreadMs()
    longest = Math.max(longest, now - last)
    last = now
    if (isOn) setImmediate(turn)
  }
  setImmediate(turn)
  await work().finally(() => (isOn = false))
  return Math.max(longest, ownThreadMs() - last)
}
