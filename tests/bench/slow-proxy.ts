import { createServer, connect, type Socket } from 'node:net'

/** 400 kbit/s in each direction, shared by all connections; the round trip takes 400 ms. */
const bytesPerMs = 50
const oneWayDelayMs = 200
const packetBytes = 1_400

export type SlowProxy = {
  port: number
  /** Returns the bytes that the proxy has sent to the browser so far, with headers and encryption. */
  received: () => number
  /** Closes every connection, and refuses each new one: the browser is offline. */
  cut: () => void
  close: () => Promise<void>
}

/** Starts a slow TCP proxy to a port of this machine. The requests of a service worker also pass through this proxy. */
export async function startSlowProxy(targetPort: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const upload = createSlowDirection()
  const download = createSlowDirection()
  let received = 0
  let isCut = false
  const server = createServer(client => {
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
    // Opening a connection takes one round trip, so the first bytes of the browser wait.
    const openedAtMs = performance.now() + 2 * oneWayDelayMs
    client.on('data', bytes => upload.send(bytes, openedAtMs, part => upstream.write(part)))
    upstream.on('data', bytes =>
      download.send(bytes, 0, part => {
        received += part.length
        if (!client.destroyed) client.write(part)
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
    received: () => received,
    cut() {
      isCut = true
      closeConnections()
    },
    async close() {
      closeConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Sends bytes after the time that the slow line needs for them, plus the delay of one way. */
function createSlowDirection() {
  let freeAtMs = 0
  // Timers with the same due time may run in any order; the queue keeps the order of the bytes.
  const queue: (() => void)[] = []
  return {
    send(bytes: Buffer, notBeforeMs: number, deliver: (part: Buffer) => void) {
      for (let start = 0; start < bytes.length; start += packetBytes) {
        const part = bytes.subarray(start, start + packetBytes)
        freeAtMs =
          Math.max(freeAtMs, performance.now(), notBeforeMs - oneWayDelayMs) + part.length / bytesPerMs
        queue.push(() => deliver(part))
        setTimeout(() => queue.shift()?.(), freeAtMs + oneWayDelayMs - performance.now())
      }
    },
  }
}
