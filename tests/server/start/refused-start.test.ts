import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { productionSettings } from '#support/data/production-settings.ts'
import { buildServer } from '#support/servers/build-server.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = join(root, 'dist/server/main.js')
let database: TestDatabase
let otherProgram: Server
let takenPort: string

beforeAll(async () => {
  buildServer()
  database = await openTestDatabase('postgresql')
  otherProgram = createServer().listen(0)
  await once(otherProgram, 'listening')
  const address = otherProgram.address()
  takenPort = String(typeof address === 'object' && address !== null ? address.port : '')
}, 300_000)
afterAll(async () => {
  otherProgram?.close()
  await database?.close()
})

/**
 * Starts the built server. Kills it when it is ready. Returns its exit code, its output and the lines of its error
 * output.
 */
async function startServer(env: Record<string, string>, options: SpawnOptions = {}) {
  const server = spawn(process.execPath, ['--enable-source-maps', program], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    ...options,
  })
  let output = ''
  let errorOutput = ''
  server.stdout?.on('data', (text: Buffer) => {
    output += text.toString()
    if (output.includes('The portal is ready')) server.kill('SIGKILL')
  })
  server.stderr?.on('data', (text: Buffer) => (errorOutput += text.toString()))
  const [code] = await once(server, 'close')
  return { code, output, lines: errorOutput.trimEnd().split('\n') }
}

/** Expects exit code 1 and `count` lines that are sentences: no stack, no raw object, no password. */
function expectSentences({ code, lines }: Awaited<ReturnType<typeof startServer>>, count = 1): void {
  expect({ code, lines }).toEqual({ code: 1, lines: expect.any(Array) })
  for (const line of lines) {
    expect(line).toMatch(/^[A-Z].+\.$/)
    expect(line).not.toMatch(/ {4}at |\[object|hunter2/)
  }
  expect(lines).toHaveLength(count)
}

/**
 * Each start costs a second of CPU, so this file tests some faults in the full run only. In each run,
 * `explain-fault.test.ts` checks what the server says about them.
 */
describe('the started server (D93)', () => {
  it.each(isFullRun ? ['PORT', 'METRICS_PORT'] : ['PORT'])(
    'ends with the number of %s when another program has it',
    async name => {
      const refused = await startServer({ DATABASE_URL: database.databaseUrl, [name]: takenPort })
      expectSentences(refused)
      expect(refused.lines[0]).toBe(
        `Port ${takenPort} is taken by another program. Stop it, or set another PORT (or METRICS_PORT).`,
      )
    },
  )

  it.runIf(isFullRun)('ends with METRICS_HOST when this host is unknown', async () => {
    const refused = await startServer({
      DATABASE_URL: database.databaseUrl,
      METRICS_PORT: '0',
      METRICS_HOST: 'no-such-host.invalid',
    })
    expectSentences(refused)
    expect(refused.lines[0]).toMatch(/METRICS_HOST, no-such-host\.invalid, .+ Set 127\.0\.0\.1/)
  })

  it.runIf(isFullRun)('ends with DATABASE_URL when its host is unknown', async () => {
    const refused = await startServer({
      DATABASE_URL: 'postgres://portal:hunter2@no-such-host.invalid/portal',
    })
    expectSentences(refused)
    expect(refused.lines[0]).toMatch(/DATABASE_URL, no-such-host\.invalid, is unknown\. Correct the address/)
  })

  it('ends with DATABASE_URL when PostgreSQL does not have its role or its database', async () => {
    const stranger = new URL(database.databaseUrl)
    stranger.username = 'stranger'
    stranger.password = 'hunter2'
    const withoutRole = await startServer({ DATABASE_URL: stranger.href })
    expectSentences(withoutRole)
    expect(withoutRole.lines[0]).toMatch(/"stranger" of DATABASE_URL.+create the role/)
    const url = database.databaseUrl.replace(/\/test_\w+/, '/missing')
    const withoutDatabase = await startServer({ DATABASE_URL: url })
    expectSentences(withoutDatabase)
    expect(withoutDatabase.lines[0]).toMatch(/no database "missing".+createdb.+DATABASE_URL/)
  })
})

describe('the started server with a misspelt variable (D2)', () => {
  it('warns of it, because the setting that is meant stays at its default', async () => {
    const started = await startServer({ DATABASE_URL: database.databaseUrl, CHANGE_LIMITS: '3' })
    expect(started.output).toContain('The portal is ready')
    const warnings = started.output.split('\n').filter(line => line.includes('"level":"warn"'))
    expect(warnings.filter(line => line.includes('CHANGE_LIMIT is probably meant'))).toHaveLength(1)
  })
})

describe('a release whose file .env cannot be read (D93)', () => {
  const release = mkdtempSync(join(tmpdir(), 'release-'))
  beforeAll(() => {
    for (const path of ['package.json', 'dist/server'])
      cpSync(join(root, path), join(release, path), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(release, 'node_modules'))
    // A folder cannot be read as a file by any user, also not by root.
    mkdirSync(join(release, '.env'))
  })
  afterAll(() => rmSync(release, { recursive: true, force: true }))

  it.each([
    ['server', 'main.js', ''],
    [
      'command of the operator',
      'office.js',
      `.then(({ runCommandLine }) => runCommandLine(['record'])).then(process.exit)`,
    ],
  ])('starts no %s, and names the file', async (_what, name, then) => {
    const path = JSON.stringify(join(release, 'dist/server', name))
    const ended = spawnSync(process.execPath, ['-e', `import(${path})${then}`], { encoding: 'utf8' })
    const lines = ended.stderr.trimEnd().split('\n')
    expectSentences({ code: ended.status, output: ended.stdout, lines })
    expect(lines[0]).toContain(join(release, '.env'))
  })
})

/**
 * Root may write everywhere, so a test run of root starts the server as `nobody`, if that user can read this checkout.
 */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const canRead = spawnSync(process.execPath, ['-e', `require('fastify')`], { ...user, cwd: root }).status === 0
const whyNot =
  canRead && process.platform !== 'win32'
    ? ''
    : ' [skipped: on Windows, or because user nobody cannot read this checkout]'

describe(`the started server without the right to write to DATA_DIR (D93)${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), 'unwritable-'))
  chmodSync(home, 0o555)
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const folders: [string, string][] = [
    ['it may not write to it', home],
    ['it may not create it', join(home, 'data')],
  ]
  const tested = isFullRun ? folders : folders.slice(0, 1)

  it.skipIf(whyNot !== '').each(tested)('ends with DATA_DIR when %s', async (_what, dataDir) => {
    const refused = await startServer({ DATABASE_URL: '', DATA_DIR: dataDir }, user)
    expectSentences(refused)
    expect(refused.lines[0]).toMatch(/may not write to DATA_DIR, .+unwritable-.+ Change the owner/)
  })
})

const production = {
  ...productionSettings,
  DATABASE_URL: 'postgres://portal:hunter2@no-such-host.invalid/portal?sslmode=verify-full',
}

describe('the server started with PROFILE=production (D93)', () => {
  it('ends with one line for each setting that is missing', async () => {
    const missing = { PUBLIC_ORIGIN: '', TRUSTED_PROXIES: '', MAIL_FROM: '' }
    const refused = await startServer({ ...production, ...missing })
    expectSentences(refused, 3)
    for (const name of Object.keys(missing))
      expect(refused.lines).toContainEqual(expect.stringMatching(new RegExp(`^${name} must `)))
  })

  it('names a misspelt variable beside the setting that is missing', async () => {
    const refused = await startServer({ ...production, MAIL_FROM: '', MAIL_FORM: 'no-reply@example.cm' })
    expectSentences(refused, 2)
    expect(refused.lines[0]).toMatch(/^MAIL_FROM must be set/)
    expect(refused.lines[1]).toMatch(/^MAIL_FORM is not read.+MAIL_FROM is probably meant/)
  })

  it('ends with the names of two keys that are equal', async () => {
    const refused = await startServer({ ...production, CODE_KEY: production.TOKEN_KEY })
    expectSentences(refused)
    expect(refused.lines[0]).toMatch(/^TOKEN_KEY and CODE_KEY must differ/)
    expect(refused.lines[0]).not.toContain(production.TOKEN_KEY)
  })
})
