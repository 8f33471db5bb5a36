import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createApp } from '#server/start/app.ts'
import { slowClientLimits, type SlowClientLimits } from '#server/http/connections.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let app: TestServer['app'] | undefined
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app?.close()
  await server.close()
})

async function listen(
  env: Record<string, string>,
  slowClients: Partial<SlowClientLimits> = {},
  staticRoot?: string,
): Promise<number> {
  server = await startTestServer({ offices: 'none', env })
  app = createApp(server.services, { slowClients: { ...slowClientLimits, ...slowClients }, staticRoot })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Opens a connection. `closed` resolves when the server has closed it. */
async function open(port: number): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  // Not `once` of node:events, which rejects when a reset comes before the close.
  const closed = new Promise<unknown>(resolve => socket.once('close', resolve))
  await Promise.race([new Promise(resolve => socket.once('connect', resolve)), closed])
  return { socket, closed }
}

async function ask(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } })
  await answer.text()
  return answer.status
}

/** More than the buffers of both ends hold. */
const largeBytes = 32 * 2 ** 20
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Returns the folder of a built portal with one large file. */
function writePortal(): string {
  const folder = mkdtempSync(join(tmpdir(), 'static-'))
  folders.push(folder)
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'assets/large.js'), '')
  truncateSync(join(folder, 'assets/large.js'), largeBytes)
  return folder
}

/** Asks for a file, and reads 64 KiB of the answer every 20 ms. */
async function readSlowly(port: number, path: string) {
  let bytes = 0
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer: Buffer.alloc(64 * 1_024),
      callback: count => {
        bytes += count
        return false // Pauses.
      },
    },
  })
  socket.on('error', () => undefined)
  sockets.push(socket)
  const closed = new Promise<unknown>(resolve => socket.once('close', resolve))
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  const drip = setInterval(() => socket.resume(), 20)
  return { closed, bytesRead: () => bytes, stop: () => clearInterval(drip) }
}

function countConnections(): Promise<number> {
  return new Promise((resolve, reject) => {
    app?.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

describe('slow clients', () => {
  it('are cut off when they send headers without end, one now and then, and others are served', async () => {
    const port = await listen({}, { headersMs: 600, requestMs: 900, silentMs: 5_000, checkMs: 100 })
    const slow = await Promise.all(Array.from({ length: 40 }, () => open(port)))
    for (const { socket } of slow) socket.write('GET /health HTTP/1.1\r\nhost: x\r\n')
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write('x-a: b\r\n')
    }, 50)
    try {
      expect(await ask(port)).toBe(200)
      await Promise.all(slow.map(({ closed }) => closed))
      expect(await ask(port)).toBe(200)
    } finally {
      clearInterval(drip)
    }
  })

  it('are cut off when they never end the body of a request', async () => {
    const port = await listen({}, { headersMs: 600, requestMs: 900, silentMs: 5_000, checkMs: 100 })
    const { socket, closed } = await open(port)
    socket.write(
      'POST /api/v1/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{',
    )
    const drip = setInterval(() => !socket.destroyed && socket.write(' '), 50)
    try {
      await closed
    } finally {
      clearInterval(drip)
    }
  })

  it('are cut off when they never read the answers that they asked for', async () => {
    const port = await listen(
      {},
      { headersMs: 30_000, requestMs: 30_000, silentMs: 300, checkMs: 100 },
      writePortal(),
    )
    const accepted = new Promise(resolve => app?.server.once('connection', resolve))
    const { socket } = await open(port)
    await accepted
    socket.pause()
    // More than the buffers of both ends hold.
    socket.write('GET /assets/large.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2))
    await expect.poll(() => countConnections()).toBe(0)
    expect(await ask(port)).toBe(200)
  })

  it('are cut off when they read a little of an answer now and then, for ever', async () => {
    const port = await listen(
      {},
      { answerMs: 400, answerBytesPerSecond: 10 ** 9, checkMs: 100 },
      writePortal(),
    )
    const reader = await readSlowly(port, '/assets/large.js')
    try {
      await reader.closed
      // The server closed the connection before the end of the answer.
      expect(reader.bytesRead()).toBeLessThan(largeBytes)
      expect(await ask(port)).toBe(200)
    } finally {
      reader.stop()
    }
  })

  it('are cut off when they are silent', async () => {
    const port = await listen({}, { headersMs: 30_000, requestMs: 30_000, silentMs: 300, checkMs: 100 })
    await (
      await open(port)
    ).closed
  })
})

/** Whether the server closes a connection from this address, which the machine does not have. */
function isRefused(address: string): boolean {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  sockets.push(socket)
  app?.server.emit('connection', socket)
  return socket.destroyed
}

describe('the connections of one address', () => {
  it('are bounded, and a closed one makes room', async () => {
    const port = await listen({ CONNECTIONS_PER_ADDRESS: '3' })
    const kept = await Promise.all([1, 2, 3].map(() => open(port)))
    await (
      await open(port)
    ).closed
    const [first] = kept
    first?.socket.destroy()
    await expect.poll(() => ask(port).catch(() => 0)).toBe(200)
  })

  it('count for the /64 of an IPv6 address, because one customer has all its addresses', async () => {
    await listen({ CONNECTIONS_PER_ADDRESS: '3' })
    const refused = ['1', '2', '3', '4'].map(last => isRefused(`2001:db8:1:1::${last}`))
    expect(refused).toEqual([false, false, false, true])
    expect(isRefused('2001:db8:1:2::1')).toBe(false)
    expect(isRefused('192.0.2.1')).toBe(false)
  })

  it('are not bounded for a trusted proxy', async () => {
    const port = await listen({ CONNECTIONS_PER_ADDRESS: '3', TRUSTED_PROXIES: 'loopback' })
    await Promise.all([1, 2, 3, 4, 5].map(() => open(port)))
    expect(await ask(port)).toBe(200)
  })
})
