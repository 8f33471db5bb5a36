import { createServer } from 'node:net'

/**
 * A port for a server in a process of its own, which stops and starts on it. Below those that the system gives away by
 * itself, or one of them could be given to somebody meanwhile; each worker of the tests asks in a hundred of its own.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < portCount; tried += 1) {
    asked += 1
    const port = firstPort + worker * portCount + (asked % portCount)
    if (await isFree(port)) return port
  }
  throw new Error('No port is free')
}

const firstPort = 20_000
const portCount = 100
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % 100
/** Not the same one first in every process, so that two runs side by side seldom meet. */
let asked = process.pid

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}
