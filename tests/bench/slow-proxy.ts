import { createServer, connect, type Socket } from 'node:net'

/** 400 kbit/s each way, shared by all connections, and 400 ms there and back. */
const bytesPerMs = 50
const oneWayDelayMs = 200
/** What travels at a time, bytes. */
const packetBytes = 1_400

export type SlowProxy = {
  port: number
  /** Bytes that came down so far, headers and encryption included. */
  received: () => number
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

/** A line to a port of this machine, as slow as a village's: also for what a service worker asks for. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const up = createLane()
  const down = createLane()
  let received = 0
  let isCut = false
  const server = createServer(phone => {
    if (isCut) return phone.destroy()
    const far = connect(target, '127.0.0.1')
    for (const socket of [phone, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of [phone, far]) other.destroy()
      })
    }
    // A connection is opened by a round trip of its own.
    const opened = performance.now() + 2 * oneWayDelayMs
    phone.on('data', bytes => up.send(bytes, opened, part => far.write(part)))
    far.on('data', bytes =>
      down.send(bytes, 0, part => {
        received += part.length
        if (!phone.destroyed) phone.write(part)
      }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the line has no port')
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
  let free = 0
  // Timers that are due together may come in any order; what travels does not.
  const travelling: (() => void)[] = []
  return {
    send(bytes: Buffer, notBefore: number, deliver: (part: Buffer) => void) {
      for (let at = 0; at < bytes.length; at += packetBytes) {
        const part = bytes.subarray(at, at + packetBytes)
        free = Math.max(free, performance.now(), notBefore - oneWayDelayMs) + part.length / bytesPerMs
        travelling.push(() => deliver(part))
        setTimeout(() => travelling.shift()?.(), free + oneWayDelayMs - performance.now())
      }
    },
  }
}
