import { createServer } from 'node:net'

/**
 * Returns a port for a server process that restarts on the same port. Until this process ends, no other caller gets the
 * port. It is below the ephemeral range, so that the system cannot give it to another process during a restart.
 *
 * @throws when no port is free.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < portCount; tried += 1) {
    triedIndex += 1
    const port = firstPort + (triedIndex % portCount)
    if ((await canListen(port)) && (await claim(port))) return port
  }
  throw new Error('No port is free')
}

const firstPort = 20_000
const portCount = 5_000
/** The place of the port tried last. It starts differently in each process, so that they rarely try the same ports. */
let triedIndex = process.pid * 50

/**
 * Listens on the port's claim, a second port, for as long as this process runs: only one process can do so. The port
 * itself must stay free for its server.
 */
function claim(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const claimed = createServer().unref()
    claimed.once('error', () => resolve(false))
    claimed.listen(port + portCount, '127.0.0.1', () => resolve(true))
  })
}

function canListen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}
