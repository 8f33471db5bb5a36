import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'

/** PEM texts, as `https.createServer` takes them. */
export type Certificate = { key: string; cert: string }

export type CertificateSettings = {
  dataDir: string
  /** IP addresses of this machine that phones on the same network can open. */
  lanAddresses: readonly string[]
  now: Date
}

const fileName = 'demo-certificate.json'
const dayMs = 86_400_000
const lifetimeDays = 365
const renewalDays = 30
const loopbackAddresses = ['127.0.0.1', '::1']

/**
 * Returns the demo's self-signed certificate. It is stored under `dataDir`, so that a browser warns only once. This
 * call replaces it in its last 30 days, or when this machine has an address that the certificate does not name.
 */
export async function demoCertificate(settings: CertificateSettings): Promise<Certificate> {
  const stored = readCertificate(settings.dataDir)
  if (stored && isUsable(stored, settings)) return stored
  const created = await createCertificate(settings)
  writeCertificate(settings.dataDir, created)
  return created
}

function isUsable({ cert }: Certificate, { lanAddresses, now }: CertificateSettings): boolean {
  const certificate = new X509Certificate(cert)
  const endsInMs = Date.parse(certificate.validTo) - now.getTime()
  return endsInMs > renewalDays * dayMs && lanAddresses.every(each => certificate.checkIP(each) !== undefined)
}

async function createCertificate({ lanAddresses, now }: CertificateSettings): Promise<Certificate> {
  // Loaded only here: the package would take a seventh of the time in which a server starts, and few servers need it.
  const { generate } = await import('selfsigned')
  const addresses = [...new Set([...loopbackAddresses, ...lanAddresses])]
  const made = await generate([{ name: 'commonName', value: 'Passport portal demo' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Valid from yesterday, so that a phone with a slow clock accepts it.
    notBeforeDate: new Date(now.getTime() - dayMs),
    notAfterDate: new Date(now.getTime() + lifetimeDays * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [{ type: 2, value: 'localhost' }, ...addresses.map(ip => ({ type: 7 as const, ip }))],
      },
    ],
  })
  return { key: made.private, cert: made.cert }
}

/** Undefined when no file exists, or when it is not JSON with a certificate and its key. */
function readCertificate(dataDir: string): Certificate | undefined {
  try {
    const saved: unknown = JSON.parse(readFileSync(join(dataDir, fileName), 'utf8'))
    if (typeof saved !== 'object' || saved === null || !('key' in saved) || !('cert' in saved))
      return undefined
    const { key, cert } = saved
    if (typeof key !== 'string' || typeof cert !== 'string') return undefined
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { key, cert } : undefined
  } catch {
    return undefined // the first start, or a damaged file: a new certificate replaces it
  }
}

/** Writes key and certificate to one file and renames it into place, so that they always belong together. */
function writeCertificate(dataDir: string, certificate: Certificate): void {
  mkdirSync(dataDir, { recursive: true })
  const temporaryPath = join(dataDir, `${fileName}.${process.pid}`)
  writeFileSync(temporaryPath, JSON.stringify(certificate), { mode: 0o600 })
  renameSync(temporaryPath, join(dataDir, fileName))
}

/** Returns the IP addresses of this machine that its network can reach, IPv4 first, without link-local ones. */
export function findLanAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  const reachable = all.filter(
    ({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/i.test(address),
  )
  return reachable.toSorted((a, b) => a.family.localeCompare(b.family)).map(({ address }) => address)
}
