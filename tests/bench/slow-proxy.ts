import { createServer, connect, type Socket } from 'node:net'

/** 400 kbit/s in each direction, shared by all connections; the round trip takes 400 ms. */
const bytesPerMs = 50
const oneWayDelayMs = 200
const packetBytes = 1_400

export type SlowProxy = {
  port: number
  /** Bytes received by the browser so far, with headers and encryption. */
  received: () => number
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

/** Starts a slow TCP proxy to a port of this machine. It also slows the requests of a service worker. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const up = createLane()
  const down = createLane()
  let received = 0
  let isCut = false
  const server = createServer(phone => {
    if (isCut) return phone.destroy()
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [phone, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of [phone, upstream]) other.destroy()
      })
    }
    // Opening a connection takes one round trip.
    const openedAtMs = performance.now() + 2 * oneWayDelayMs
    phone.on('data', bytes => up.send(bytes, openedAtMs, part => upstream.write(part)))
    upstream.on('data', bytes =>
      down.send(bytes, 0, part => {
        received += part.length
        if (!phone.destroyed) phone.write(part)
      }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the slow proxy has no port')
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    received: () => received,
    cut() {
      isCut = true
      drop()
    },
    mend() {
      isCut = false
    },
    async close() {
      drop()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function createLane() {
  let freeAtMs = 0
  // Timers with the same due time may run in any order; the queue keeps the order of the bytes.
  const queue: (() => void)[] = []
  return {
    send(bytes: Buffer, notBefore: number, deliver: (part: Buffer) => void) {
      for (let at = 0; at < bytes.length; at += packetBytes) {
        const part = bytes.subarray(at, at + packetBytes)
        freeAtMs = Math.max(freeAtMs, performance.now(), notBefore - oneWayDelayMs) + part.length / bytesPerMs
        queue.push(() => deliver(part))
        setTimeout(() => queue.shift()?.(), freeAtMs + oneWayDelayMs - performance.now())
      }
    },
  }
}
