import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { productionSettings } from '#support/data/production-settings.ts'
import { buildServer } from '#support/servers/build-server.ts'
import { buildSources } from '#support/servers/release-checkout.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const simulators = 'server/integrations/simulators'
const ignored = readFileSync(join(root, 'docs/packaging/Dockerfile.dockerignore'), 'utf8').trim().split('\n')
/** Only the server: the pages are the same with and without the folder. */
const buildServerPart = `import { build } from 'vite'
await build({ root: import.meta.dirname, logLevel: 'error', build: { ssr: true } })`
let image: string
let database: TestDatabase

/** Copies the sources of the build that the image gets, and builds only the server there. */
beforeAll(async () => {
  buildServer()
  image = mkdtempSync(join(tmpdir(), 'image-'))
  const isCopied = (path: string) => !ignored.includes(path.slice(root.length))
  for (const name of buildSources)
    cpSync(join(root, name), join(image, name), { recursive: true, filter: isCopied })
  symlinkSync(join(root, 'node_modules'), join(image, 'node_modules'))
  const { VITEST: _, ...environment } = process.env
  writeFileSync(join(image, 'build.mjs'), buildServerPart)
  execFileSync(process.execPath, ['build.mjs'], {
    cwd: image,
    env: { ...environment, NODE_ENV: 'production' },
    stdio: 'inherit',
  })
  symlinkSync(join(root, 'dist/client'), join(image, 'dist/client'))
  database = await openTestDatabase('postgresql')
}, 300_000)

afterAll(async () => {
  await database?.close()
  rmSync(image, { recursive: true, force: true })
})

const production = {
  ...productionSettings,
  SMTP_URL: 'smtps://mail.example.cm',
  // PAYMENT_METHODS decides only about MOCK and WHITELIST: this value enables neither. The credentials of MTN enable
  // MOBILE.
  PAYMENT_METHODS: 'MOBILE',
  MTN_MOMO_KEY: 'key',
  MTN_MOMO_USER: 'user',
  MTN_MOMO_API_KEY: 'secret',
}

/** Starts the server of the image. Kills it when it is ready. Returns what it has printed. */
async function start(env: Record<string, string>): Promise<string> {
  const server = spawn(process.execPath, ['dist/server/main.js'], {
    cwd: image,
    env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: database.databaseUrl, ...env },
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString()
      if (output.includes('The portal is ready')) server.kill('SIGKILL')
    })
  await once(server, 'close')
  return output
}

/**
 * The names of the sources in a map of the build. Their texts are not in the map, because Node would keep them in
 * memory.
 */
function sourcesOf(map: string): string[] {
  const { sources, sourcesContent } = JSON.parse(readFileSync(join(image, 'dist/server', map), 'utf8'))
  expect(sourcesContent).toBeUndefined()
  return sources
}

describe('the image', () => {
  it('has no file of the simulated payment providers, neither as a source nor in the build', () => {
    expect(
      ignored.filter(line => /[*?![#]/.test(line)),
      'lines that are no plain path',
    ).toEqual([])
    expect(existsSync(join(root, simulators)), 'the folder that the image leaves out').toBe(true)
    expect(existsSync(join(image, simulators))).toBe(false)
    const built = readdirSync(join(image, 'dist/server'), { recursive: true, encoding: 'utf8' })
    expect(built.filter(name => name.endsWith('main.js'))).toHaveLength(1)
    expect(built.filter(name => /simulator|demo-payers/.test(name))).toEqual([])
    const sources = built.filter(name => name.endsWith('.map')).flatMap(sourcesOf)
    expect(sources.some(name => name.endsWith('server/start/open-server.ts'))).toBe(true)
    expect(sources.filter(name => name.includes('/simulators/'))).toEqual([])
  })

  it('starts in production', async () => {
    expect(await start(production)).toContain('The portal is ready')
  })

  it('ends with one sentence when a trial asks for simulated payments', async () => {
    const output = await start({ PAYMENT_SIMULATORS: 'on', DATA_DIR: join(image, 'data') })
    expect(output.trim()).toBe(
      'PAYMENT_SIMULATORS must be off: this installation has no simulated payment providers.',
    )
  })
})
