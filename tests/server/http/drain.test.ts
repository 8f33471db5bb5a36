import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Drain, prepareDrain } from '#server/http/drain.ts'

let app: FastifyInstance
let stop: Drain
let agent: Agent
let port: number
let finish: () => void
let isRunning: boolean

beforeEach(async () => {
  app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  stop = prepareDrain(app)
  app.get('/', async () => 'answer')
  isRunning = false
  app.get('/slow', () => {
    isRunning = true
    return new Promise(resolve => (finish = () => resolve('late answer')))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  ;({ port } = app.server.address() as AddressInfo) // it listens on a port
  // Like a proxy: one connection that stays open between requests.
  agent = new Agent({ keepAlive: true, maxSockets: 1 })
})
afterEach(async () => {
  agent.destroy()
  await app.close()
})

describe('a server that is stopping (D6)', () => {
  it('answers a request on an open connection, and then closes this connection', async () => {
    expect(await ask()).toEqual({ status: 200, connection: 'keep-alive' })
    const drained = stop.drain(60_000)
    await pause(50)
    expect(await ask()).toEqual({ status: 200, connection: 'close' })
    await drained
  })

  it('accepts no new connection, while it waits and after', async () => {
    await ask()
    const drained = stop.drain(60_000)
    await expect(ask('/', new Agent())).rejects.toThrow('ECONNREFUSED')
    agent.destroy()
    await drained
    await expect(ask()).rejects.toThrow('ECONNREFUSED')
  })

  it('waits for a running request when it closes after the drain', async () => {
    await ask()
    const answer = ask('/slow')
    await expect.poll(() => isRunning).toBe(true)
    await stop.drain(10)
    let isClosed = false
    const closed = app.close().then(() => (isClosed = true))
    await pause(50)
    expect(isClosed).toBe(false)
    finish()
    expect(await answer).toEqual({ status: 200, connection: 'close' })
    await closed
  })

  it('waits for an open connection no longer than the given time', async () => {
    await ask()
    const drained = stop.drain(100).then(() => 'drained')
    expect(await Promise.race([drained, pause(30_000, 'waiting', { ref: false })])).toBe('drained')
    expect(agent.freeSockets).not.toEqual({})
  })
})

function ask(
  path = '/',
  through = agent,
): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent: through, path }, response => {
      response.resume()
      response.on('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection }),
      )
    })
      .on('error', reject)
      .end()
  })
}
