import { createServer, connect, type Socket } from 'node:net'
import { createRandomSource } from '#support/random-source.ts'

/** A network with the same rate and delay in each direction. All TCP connections share it. */
export type Network = {
  bytesPerMs: number
  /** Half of the round trip. */
  oneWayDelayMs: number
  /** The share of the packets that are lost and sent again one round trip later. */
  lossRate: number
}

/** 400 kbit/s; the round trip takes 400 ms. */
export const slowNetwork: Network = { bytesPerMs: 50, oneWayDelayMs: 200, lossRate: 0 }

const packetBytes = 1_400

export type SlowProxy = {
  port: number
  /** Returns the bytes that the proxy has sent to the browser so far, with headers and encryption. */
  deliveredBytes: () => number
  /** Returns each part that the proxy has sent to the browser, with its time on the clock of `performance.now`. */
  arrivals: () => readonly { atMs: number; bytes: number }[]
  /** Returns the time, on the same clock, at which the browser has all bytes that the server has sent so far. */
  deliveredAtMs: () => number
  changeNetwork: (next: Network) => void
  /** Closes every connection, and refuses each new one: the browser is offline. */
  cut: () => void
  /** Accepts connections again. */
  restore: () => void
  close: () => Promise<void>
}

/** Starts a slow TCP proxy to a port of this machine. The requests of a service worker also pass through this proxy. */
export async function startSlowProxy(targetPort: number, firstNetwork = slowNetwork): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  let network = firstNetwork
  const upload = createSlowDirection(() => network)
  const download = createSlowDirection(() => network)
  const arrivals: { atMs: number; bytes: number }[] = []
  let deliveredBytes = 0
  let isCut = false
  const server = createServer({ pauseOnConnect: true }, client => {
    if (isCut) return client.destroy()
    const upstream = connect(targetPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of [client, upstream]) other.destroy()
      })
    }
    // On a real network a browser sends its first bytes after one round trip, which opens the connection. Until then
    // the bytes wait in the socket, so that they hold up no other connection.
    const opening = setTimeout(() => client.resume(), 2 * network.oneWayDelayMs)
    client.on('close', () => clearTimeout(opening))
    client.on('data', bytes => upload.send(bytes, part => upstream.write(part)))
    upstream.on('data', bytes =>
      download.send(bytes, part => {
        if (client.destroyed) return
        deliveredBytes += part.length
        arrivals.push({ atMs: performance.now(), bytes: part.length })
        client.write(part)
      }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the slow proxy has no port')
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    deliveredBytes: () => deliveredBytes,
    arrivals: () => arrivals,
    deliveredAtMs: () => Math.max(download.emptyAtMs(), performance.now()),
    changeNetwork: next => (network = next),
    cut() {
      isCut = true
      closeConnections()
    },
    restore: () => (isCut = false),
    async close() {
      closeConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Sends bytes after the time that the slow network needs for them, plus the delay of one way. */
function createSlowDirection(network: () => Network) {
  let freeAtMs = 0
  let emptyAtMs = 0
  // Timers with the same due time may run in any order; the queue keeps the order of the bytes.
  const queue: (() => void)[] = []
  const random = createRandomSource(1)

  /** A packet that was lost once may be lost again. */
  function resendingMs({ lossRate, oneWayDelayMs }: Network): number {
    let losses = 0
    while (random.fraction() < lossRate) losses += 1
    return losses * 2 * oneWayDelayMs
  }

  return {
    emptyAtMs: () => emptyAtMs,
    send(bytes: Buffer, deliver: (part: Buffer) => void) {
      const current = network()
      const { bytesPerMs, oneWayDelayMs } = current
      for (let start = 0; start < bytes.length; start += packetBytes) {
        const part = bytes.subarray(start, start + packetBytes)
        freeAtMs = Math.max(freeAtMs, performance.now()) + part.length / bytesPerMs
        // TCP delivers in order, so a lost packet holds up those behind it; here also those of other connections.
        emptyAtMs = Math.max(emptyAtMs, freeAtMs + oneWayDelayMs + resendingMs(current))
        queue.push(() => deliver(part))
        setTimeout(() => queue.shift()?.(), emptyAtMs - performance.now())
      }
    },
  }
}
