import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const emblem = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')

let server: TestServer
let root: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'client-'))
  for (const folder of ['assets', 'icons', '.git']) mkdirSync(join(root, folder))
  const files = ['index.html', 'sw.js', 'manifest.webmanifest', 'robots.txt', 'assets/a.js', 'icons/icon.svg']
  files.push('.env', '.git/config', 'assets/.map')
  for (const file of files) writeFileSync(join(root, file), 'é')
  server = await startTestServer({
    staticRoot: root,
    env: { ISSUER_EMBLEM: `data:image/svg+xml;base64,${emblem}` },
  })
})
afterAll(async () => {
  await server?.close()
  rmSync(root, { recursive: true })
})

it.each([
  ['/', 'text/html'],
  ['/sw.js', 'application/javascript'],
  ['/assets/a.js', 'application/javascript'],
  ['/robots.txt', 'text/plain'],
  ['/manifest.webmanifest', 'application/manifest+json'],
  ['/icons/icon.svg', 'image/svg+xml'],
  ['/api/v1/version', 'application/json'],
  ['/api/v1/nothing', 'application/json'],
  ['/health', 'application/json'],
  ['/pay/card.js', 'text/javascript'],
  ['/pay/page.css', 'text/css'],
  ['/pay/return/x', 'text/html'],
])('%s has the type %s, with its character set', async (url, type) => {
  expect((await server.app.inject(url)).headers['content-type']).toBe(`${type}; charset=utf-8`)
})

it('the emblem has its type, with its character set (NAV28)', async () => {
  const path = server.services.config.emblem?.path ?? ''
  expect((await server.app.inject(path)).headers['content-type']).toBe('image/svg+xml; charset=utf-8')
})

it.each(['/.env', '/%2eenv', '/.git/config', '/assets/.map', '/assets/%2Emap', '/assets/../.env', '//.env'])(
  'a hidden file of the folder is not found: %s',
  async url => {
    expect((await server.app.inject(url)).statusCode).toBe(404)
  },
)
