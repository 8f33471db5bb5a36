import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { serveMetrics } from '#server/monitoring/metrics.ts'
import { explainFault } from '#server/start/explain-fault.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { configOf } from '#support/servers/services-on.ts'

const home = mkdtempSync(join(tmpdir(), 'faults-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** What the server prints when it cannot open the database of these settings. */
async function faultOf(env: Record<string, string>): Promise<string> {
  const config = configOf(env)
  try {
    const database = await connectDatabase({ ...config, timeoutMs: 60_000 })
    try {
      await database.probe()
    } finally {
      await database.close()
    }
    return 'no fault'
  } catch (error) {
    return explainFault(error, config)
  }
}

const thrown = (code: string, more: object = {}) => Object.assign(new Error('raw text'), { code, ...more })

/**
 * Expects one line from a capital letter to a full stop, without a raw object, the text of the error or the password.
 */
function expectClear(fault: string): void {
  expect(fault).toMatch(/^[A-Z][^\n]+\.$/)
  expect(fault).not.toMatch(/\[object|raw text|hunter2/)
}

describe('a server that cannot start (D93)', () => {
  it('says which host is unknown, and which port has no PostgreSQL', async () => {
    const unknown = await faultOf({ DATABASE_URL: 'postgres://portal:hunter2@no-such-host.invalid/portal' })
    expect(unknown).toContain('no-such-host.invalid')
    const silent = await faultOf({ DATABASE_URL: 'postgres://portal:hunter2@127.0.0.1:1/portal' })
    expect(silent).toContain('no PostgreSQL listens at 127.0.0.1:1')
    for (const fault of [unknown, silent]) expectClear(fault)
  })

  it('says which user and which database PostgreSQL does not have', async () => {
    const database = await openTestDatabase('postgresql')
    const stranger = new URL(database.databaseUrl)
    stranger.username = 'stranger'
    const role = await faultOf({ DATABASE_URL: stranger.href })
    expect(role).toContain('the user "stranger"')
    const missing = await faultOf({ DATABASE_URL: database.databaseUrl.replace(/\/test_\w+/, '/missing') })
    expect(missing).toContain('no database "missing"')
    for (const fault of [role, missing]) expectClear(fault)
    await database.close()
  })

  it('says that a file that DATABASE_URL names cannot be read', async () => {
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      const url = `postgres://portal:hunter2@db.example.cm/portal?sslmode=verify-full&${name}=${home}`
      for (const path of ['', '/missing.pem']) {
        const fault = await faultOf({ DATABASE_URL: `${url}${path}` })
        expect(fault).toContain('file that DATABASE_URL names cannot be read')
        expectClear(fault)
      }
    }
  })

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'sslrootcert'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'sslrootcert'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'sslrootcert'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'sslrootcert'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'sslrootcert'],
    ['CERT_HAS_EXPIRED', 'Renew it'],
    ['CERT_NOT_YET_VALID', 'clock of this machine'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host'],
  ])('says what to do about the certificate of PostgreSQL: %s', (code, words) => {
    const databaseUrl = 'postgres://portal:hunter2@db.example.cm/portal?sslmode=verify-full'
    const fault = explainFault(thrown(code), configOf({ DATABASE_URL: databaseUrl }))
    expect(fault).toContain(words)
    expect(fault).toContain('PostgreSQL at db.example.cm')
    expectClear(fault)
  })

  it('says that DATA_DIR is a file', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    for (const dataDir of [file, join(file, 'below')]) {
      const fault = await faultOf({ DATA_DIR: dataDir })
      expect(fault).toContain('is not a folder')
      expectClear(fault)
    }
  })

  it.each([
    ['a full disk', thrown('ENOSPC'), 'is full'],
    ['a full disk, as the engine reports it', { name: 'ErrnoError', errno: 51 }, 'is full'],
    [
      'a full disk, as PostgreSQL in the engine reports it',
      new Error('could not extend file: No space left on device'),
      'is full',
    ],
    ['a read-only disk', thrown('EROFS'), 'is read-only'],
    [
      'a read-only disk, as the cause of the error',
      new Error('raw text', { cause: thrown('EROFS') }),
      'is read-only',
    ],
    ['a folder of another user', thrown('EACCES'), 'may not write'],
    ['a taken port', thrown('EADDRINUSE', { port: 8080 }), 'Port 8080 is taken'],
    ['a port below 1024', thrown('EACCES', { port: 80 }), 'may not listen at port 80'],
  ])('says what to do about %s', (_what, error, words) => {
    const fault = explainFault(error, configOf({ DATA_DIR: '/var/lib/portal' }))
    expect(fault).toContain(words)
    expectClear(fault)
  })

  it.each(['53300', '42501', '25006', '57P03', '53100', 'ETIMEDOUT'])('says a sentence about %s', code => {
    expectClear(explainFault(thrown(code), configOf({ DATABASE_URL: 'postgres://portal:hunter2@db/portal' })))
  })

  it('names the port that another program has', async () => {
    const other = createServer().listen(0)
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const error = await new Promise<unknown>(resolve => {
      createServer().once('error', resolve).listen(port)
    })
    expect(explainFault(error, configOf())).toContain(`Port ${port} is taken`)
    other.close()
  })

  it.each(['no-such-host.invalid', '192.0.2.1'])(
    'says that METRICS_HOST is not an address of this machine: %s',
    async metricsHost => {
      const config = configOf({
        METRICS_HOST: metricsHost,
        DATABASE_URL: 'postgres://portal:hunter2@other-host.invalid/portal',
      })
      const error = await serveMetrics(new Registry(), { port: 0, host: metricsHost }).then(
        server => server.close(),
        (fault: unknown) => fault,
      )
      const fault = explainFault(error, config)
      expect(fault).toContain(`METRICS_HOST, ${metricsHost}`)
      expectClear(fault)
    },
  )

  it('prints an unknown object readably', () => {
    expect(explainFault({ strange: true }, configOf())).toBe('{ strange: true }')
  })
})

/**
 * Returns whether the mount succeeded, which needs Linux and root. Otherwise the tests of mounted disks are skipped.
 */
function mount(...options: string[]): boolean {
  return process.platform === 'linux' && spawnSync('mount', options).status === 0
}

describe('a server on a mounted disk (D93)', () => {
  const small = join(home, 'small')
  const readOnly = join(home, 'read-only')
  const mounted: string[] = []
  for (const folder of [small, readOnly]) {
    mkdirSync(folder)
    const options = folder === small ? 'size=1m' : 'size=1m,ro'
    if (mount('-t', 'tmpfs', '-o', options, 'tmpfs', folder)) mounted.push(folder)
  }
  afterAll(() => {
    for (const folder of mounted) spawnSync('umount', ['-l', folder])
  })

  it.skipIf(!mounted.includes(small))('says that the disk is full', async () => {
    const fault = await faultOf({ DATA_DIR: join(small, 'data') })
    expect(fault).toContain('is full')
    expectClear(fault)
  })

  it.skipIf(!mounted.includes(readOnly))('says that the disk is read-only', async () => {
    for (const dataDir of [readOnly, join(readOnly, 'data')]) {
      const fault = await faultOf({ DATA_DIR: dataDir })
      expect(fault).toContain('is read-only')
      expectClear(fault)
    }
  })
})
