import { existsSync } from 'node:fs'
import { freePort } from './free-port.ts'

/** Whether this system counts the CPU time of a thread; only Linux does. */
export const countsThreadTime = existsSync('/proc/self/schedstat')

/** Measures how long the main thread of a server is held in one piece. `environment`: the variables of this server. */
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
