import type { Portal } from '#support/servers/portal.ts'
import { type Certificate, forwardTo, startHttpsServer } from '../https-server.ts'
import { type Network, type SlowProxy, startSlowProxy } from '../slow-proxy.ts'
import { epochMs } from './epoch.ts'
import type { Body } from './bytes-by-kind.ts'
import type { Arrival, RequestSpan } from './step-figures.ts'

/**
 * A running portal behind an HTTPS server and a proxy that imitates a slow network. `requests` leaves out what the
 * service worker loads for later; `arrivals` and `bodies` have everything.
 */
export type SlowPortal = {
  origin: string
  proxy: SlowProxy
  requests: () => readonly RequestSpan[]
  arrivals: () => readonly Arrival[]
  bodies: () => readonly Body[]
  close: () => Promise<void>
}

/** Time until the bytes of a finished response have reached the proxy of the same process. */
const deliveryMs = 3

export async function openSlowPortal(
  { origin }: Portal,
  certificate: Certificate,
  network: Network,
): Promise<SlowPortal> {
  const requests: RequestSpan[] = []
  const bodies: Body[] = []
  const server = await startHttpsServer(
    certificate,
    forwardTo(origin, ({ path, destination }) => {
      const startMs = epochMs() - network.oneWayDelayMs
      return bytes => {
        bodies.push({ path, bytes })
        setTimeout(() => {
          const endMs = epochMs(proxy.deliveredAtMs())
          if (!isForLater(path, destination)) requests.push({ path, startMs, endMs })
        }, deliveryMs)
      }
    }),
  )
  const proxy = await startSlowProxy(server.port, network)
  return {
    origin: `https://localhost:${proxy.port}`,
    proxy,
    requests: () => requests,
    bodies: () => bodies,
    arrivals: () => proxy.arrivals().map(({ atMs, bytes }) => ({ atMs: epochMs(atMs), bytes })),
    async close() {
      await proxy.close()
      server.close()
    },
  }
}

/** The service worker itself, and the files that it caches; a page requests a file with another destination. */
function isForLater(path: string, destination: string): boolean {
  return destination === 'serviceworker' || (destination === 'empty' && !path.startsWith('/api/'))
}
