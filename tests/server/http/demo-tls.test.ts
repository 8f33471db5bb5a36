import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { securityHeaders } from '#server/http/headers.ts'
import { demoCertificate } from '#server/tls/demo-certificate.ts'
import { configOf } from '#support/servers/services-on.ts'

const now = new Date('2026-11-22T12:00:00Z')
const dayMs = 86_400_000
let dataDir: string

function otherKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'demo-tls-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('the certificate of the demo', () => {
  it('names localhost and every address, lasts a year, and only the owner can read its file', async () => {
    const lanAddresses = ['192.168.1.20', '2001:db8::20']
    const { key, cert } = await demoCertificate({ dataDir, lanAddresses, now })
    const certificate = new X509Certificate(cert)
    expect(certificate.checkHost('localhost')).toBe('localhost')
    for (const address of ['127.0.0.1', '::1', ...lanAddresses])
      expect(certificate.checkIP(address), address).toBeDefined()
    expect(Date.parse(certificate.validTo) - now.getTime()).toBe(365 * dayMs)
    expect(key).toContain('PRIVATE KEY')
    expect(readdirSync(dataDir)).toHaveLength(1)
    for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['stays the same at the next start', 0, ['10.0.0.5'], true],
    ['stays the same when this machine lost an address', 0, [], true],
    ['stays the same while it is good for a month', 330, ['10.0.0.5'], true],
    ['is made again in its last month', 336, ['10.0.0.5'], false],
    ['is made again when this machine has another address', 0, ['10.0.0.6'], false],
  ])('%s', async (_, afterDays, lanAddresses, isSame) => {
    const first = await demoCertificate({ dataDir, lanAddresses: ['10.0.0.5'], now })
    const later = new Date(now.getTime() + afterDays * dayMs)
    const second = await demoCertificate({ dataDir, lanAddresses, now: later })
    expect(second.cert === first.cert).toBe(isSame)
  })

  it.each([
    ['is cut off', (text: string) => text.slice(0, -20)],
    ['has a damaged certificate', (text: string) => text.replace(/"cert":"[^"]*"/, '"cert":"-"')],
    ['has a damaged key', (text: string) => text.replace(/"key":"[^"]*"/, '"key":"-"')],
    ['has another key', (text: string) => JSON.stringify({ ...JSON.parse(text), key: otherKey() })],
  ])('is made again when its file %s', async (_, damage) => {
    const made = await demoCertificate({ dataDir, lanAddresses: [], now })
    const [file = ''] = readdirSync(dataDir).map(name => join(dataDir, name))
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    const again = await demoCertificate({ dataDir, lanAddresses: [], now })
    expect(again.cert).not.toBe(made.cert)
    expect(new X509Certificate(again.cert).checkHost('localhost')).toBe('localhost')
  })
})

it('sends no HSTS header with TLS=on: it would stop other programs on http://localhost', () => {
  expect(securityHeaders(configOf({ TLS: 'on' }))).not.toHaveProperty('strict-transport-security')
})
