import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openServer } from '#server/start/open-server.ts'
import { configOf, silentLogger } from '#support/servers/services-on.ts'

const env = {
  DATABASE_URL: 'memory://',
  DATA_DIR: '/nowhere',
  CAPTCHA: 'off',
  PAYMENT_SIMULATORS: 'on',
  METRICS_PORT: '0', // starts the interval that reads the figures; only main.ts opens the port
}

// Only the intervals that a start makes are fake and counted (jobs, clock, figures, simulators, watches), not those of
// the tests.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function countListeningSockets(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'TCPServerWrap').length
}

/** Expects no timer, and no more sockets than before the start. Node lists a closed socket for a moment. */
async function expectNothingLeft(socketsBefore: number): Promise<void> {
  expect(vi.getTimerCount()).toBe(0)
  await expect.poll(countListeningSockets).toBe(socketsBefore)
}

describe('a start of the server (D93)', () => {
  it('stops its jobs, watches and simulators when a later step fails, such as TLS with a faulty certificate', async () => {
    const before = countListeningSockets()
    const certificate = { key: 'no key', cert: 'no certificate' }
    await expect(openServer({ config: configOf(env), logger: silentLogger, certificate })).rejects.toThrow()
    await expectNothingLeft(before)
  })

  it('stops its simulators when the database cannot be opened', async () => {
    const before = countListeningSockets()
    const config = configOf({ ...env, DATABASE_URL: 'postgres://portal@127.0.0.1:1/portal' })
    await expect(openServer({ config, logger: silentLogger })).rejects.toThrow('ECONNREFUSED')
    await expectNothingLeft(before)
  })

  it('opens timers and a socket when it succeeds, which close() closes', async () => {
    const before = countListeningSockets()
    const server = await openServer({ config: configOf(env), logger: silentLogger })
    expect(vi.getTimerCount()).toBeGreaterThan(10)
    expect(countListeningSockets()).toBe(before + 1) // the simulators' socket
    await server.close()
    await expectNothingLeft(before)
  })
})
