import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { probePglite } from '#server/database/probe.ts'
import { loggerSettings } from '#server/monitoring/logger.ts'
import { createApp } from '#server/start/app.ts'
import { openServer } from '#server/start/open-server.ts'
import { configOf, silentLogger } from '#support/servers/services-on.ts'
import { startTestServer } from '#support/servers/test-server.ts'
import { copyEmptyDatabase } from '#support/servers/empty-database.ts'

const megabyte = 1024 * 1024
const home = mkdtempSync(join(tmpdir(), 'ready-'))
const disk = join(home, 'disk')
mkdirSync(disk)
/** Mounting needs root. */
const isMounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]).status === 0

afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', disk])
  rmSync(home, { recursive: true, force: true })
})

describe('/ready of a server with the embedded database (D6)', () => {
  it.each([
    [49, 503],
    [51, 200],
  ])('with %i MB of free disk space answers %i', async (freeMegabytes, status) => {
    const server = await startTestServer({ database: 'pglite', offices: 'none' })
    const probe = () => probePglite(server.services.db, async () => freeMegabytes * megabyte)
    const app = createApp(server.services, { probe })
    expect((await app.inject('/ready')).statusCode).toBe(status)
    expect((await app.inject('/health')).statusCode).toBe(200)
    await app.close()
    await server.close()
  })

  it.skipIf(!isMounted)(
    'answers 503 while the real disk is nearly full, and 200 again when it has space',
    async () => {
      await copyEmptyDatabase(disk)
      const config = configOf({ DATA_DIR: disk, JOBS: 'off', CAPTCHA: 'off' })
      const server = await openServer({ config, logger: silentLogger })
      const isReady = async () => (await server.app.inject('/ready')).statusCode
      await expect.poll(isReady).toBe(200)
      const { bavail, bsize } = await statfs(disk)
      const filler = join(disk, 'filler')
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 40 * megabyte))
      await expect.poll(isReady).toBe(503)
      expect((await server.app.inject('/health')).statusCode).toBe(200)
      truncateSync(filler)
      await expect.poll(isReady).toBe(200)
      await server.close()
    },
  )
})

describe('the log of a server at level info (D6)', () => {
  it('has no line for /health and /ready, and one for another request', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const config = configOf({ DATA_DIR: home, DATABASE_URL: 'memory://', JOBS: 'off' })
    const server = await openServer({ config, logger: pino(loggerSettings('info'), sink) })
    for (const path of ['/health', '/ready'])
      expect((await server.app.inject({ url: path, query: { from: 'monitor' } })).statusCode).toBe(200)
    await server.app.inject('/api/v1/no-such-call')
    await server.close()
    const answered = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
    expect(answered).toEqual([expect.objectContaining({ method: 'GET', status: 404 })])
    expect(lines.join('')).not.toMatch(/\/(?:health|ready)/)
  })
})
