import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Network, type SlowProxy, startSlowProxy } from './slow-proxy.ts'

const oneWayDelayMs = 20
const network: Network = { bytesPerMs: 100, oneWayDelayMs, lossRate: 0 }
/** How much too early a timer of Node may end on the clock of `performance.now`. */
const toleranceMs = 2

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The echo server answers each byte. `receivedAtMs`: when it received each part. */
async function openEcho(): Promise<{ port: number; accepted: Socket[]; receivedAtMs: number[] }> {
  const accepted: Socket[] = []
  const receivedAtMs: number[] = []
  const server = createServer(socket => {
    accepted.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', bytes => {
      receivedAtMs.push(performance.now())
      socket.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the echo server has no port')
  return { port: address.port, accepted, receivedAtMs }
}

async function openProxy(port: number): Promise<SlowProxy> {
  const proxy = await startSlowProxy(port, network)
  closing.push(proxy.close)
  return proxy
}

function openClient(proxy: SlowProxy): Socket {
  // Reads from the start, because a socket without a reader does not notice its end.
  const client = connect(proxy.port, '127.0.0.1').resume()
  client.on('error', () => client.destroy())
  closing.push(() => void client.destroy())
  return client
}

/** Sends these bytes and resolves when as many have come back. */
function exchange(client: Socket, bytes: number): Promise<void> {
  let missing = bytes
  return new Promise(resolve => {
    const count = (part: Buffer) => {
      missing -= part.length
      if (missing > 0) return
      client.off('data', count)
      resolve()
    }
    client.on('data', count).write(Buffer.alloc(bytes, 1))
  })
}

// Only lower limits of times, because a busy machine is late.
describe('the slow network of the benches (F14)', () => {
  it('delivers the first bytes of a new connection after one and a half round trips, the answer after two', async () => {
    const { port, receivedAtMs } = await openEcho()
    const proxy = await openProxy(port)
    const startMs = performance.now()
    await exchange(openClient(proxy), 1)
    expect((receivedAtMs[0] ?? 0) - startMs).toBeGreaterThanOrEqual(3 * oneWayDelayMs - toleranceMs)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * oneWayDelayMs - toleranceMs)
  })

  it('delivers the bytes of an open connection after half a round trip plus their size divided by the rate', async () => {
    const { port, receivedAtMs } = await openEcho()
    const proxy = await openProxy(port)
    const client = openClient(proxy)
    await exchange(client, 1)
    const bytes = 5_000
    const startMs = performance.now()
    await exchange(client, bytes)
    const ownMs = bytes / network.bytesPerMs + oneWayDelayMs
    expect((receivedAtMs.at(-1) ?? 0) - startMs).toBeGreaterThanOrEqual(ownMs - toleranceMs)
    expect(proxy.deliveredBytes()).toBe(bytes + 1)
    expect(proxy.arrivals().reduce((sum, part) => sum + part.bytes, 0)).toBe(bytes + 1)
  })

  it('sends the bytes of an open connection while another one is being opened', async () => {
    const { port, accepted } = await openEcho()
    const proxy = await openProxy(port)
    const client = openClient(proxy)
    await exchange(client, 1)
    // This connection is being opened for two hours.
    proxy.changeNetwork({ ...network, oneWayDelayMs: 3_600_000 })
    openClient(proxy).write('first bytes')
    await expect.poll(() => accepted.length).toBe(2)
    proxy.changeNetwork(network)
    await exchange(client, 1)
  })

  it('closes and refuses connections while it is cut, and accepts new ones after that', async () => {
    const { port } = await openEcho()
    const proxy = await openProxy(port)
    const client = openClient(proxy)
    await exchange(client, 1)
    proxy.cut()
    await once(client, 'close')
    await once(openClient(proxy), 'close')
    proxy.restore()
    await exchange(openClient(proxy), 1)
  })

  it('counts no byte that was still on its way when its connection was closed', async () => {
    const { port, accepted } = await openEcho()
    const proxy = await openProxy(port)
    const client = openClient(proxy)
    await exchange(client, 1)
    let delivered = 1
    client.on('data', part => (delivered += part.length))
    accepted[0]?.write(Buffer.alloc(20_000, 1))
    await once(client, 'data')
    proxy.cut()
    await once(client, 'close')
    proxy.restore()
    // The proxy delivers bytes in the order in which it read them, so after this answer no byte of the closed
    // connection is on its way.
    await exchange(openClient(proxy), 1)
    expect(delivered).toBeLessThan(20_000)
    expect(proxy.deliveredBytes()).toBe(delivered + 1)
    expect(proxy.arrivals().reduce((sum, part) => sum + part.bytes, 0)).toBe(delivered + 1)
  })
})
