import { createServer } from 'node:net'

/**
 * Returns a port for a server process that restarts on the same port. The port is below the ephemeral range, so that the
 * system cannot give it to another process during a restart. Each test worker has 100 ports of its own.
 *
 * @throws when no port is free.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < portCount; tried += 1) {
    portNumber += 1
    const port = firstPort + worker * portCount + (portNumber % portCount)
    if (await isFree(port)) return port
  }
  throw new Error('No port is free')
}

const firstPort = 20_000
const portCount = 100
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % 100
/** Number of the last port tried. Different in each process at first, so that two runs on one machine rarely collide. */
let portNumber = process.pid

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}
