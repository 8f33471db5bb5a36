import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'

/** An HTTPS proxy in front of a portal that speaks HTTP. A test can cut its connections. */
export type TlsProxy = {
  origin: string
  /** The self-signed certificate, a PEM file. */
  certificatePath: string
  /** Sets the port on this machine to which the proxy forwards every connection. */
  forwardTo: (port: number) => void
  /** Ends all connections and refuses new ones, as if the network were down. */
  cut: () => Promise<void>
  /** Accepts connections again after `cut`. */
  restore: () => Promise<void>
  close: () => Promise<void>
  /** The bytes that browsers have sent so far, without those of TLS. */
  sentBytes: () => number
}

/** Starts the proxy on a port of this machine, with a new certificate. */
export async function openTlsProxy(port: number): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-tls-'))
  const { key, certificatePath } = makeCertificate(folder)
  const sockets = new Set<Socket>()
  let targetPort = 0
  let sentBytes = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificatePath) }, client => {
    const upstream = connect(targetPort, 'localhost')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => (client.destroy(), upstream.destroy()))
    }
    client.on('data', ({ length }: Buffer) => (sentBytes += length))
    client.pipe(upstream).pipe(client)
  })
  // A browser that does not trust the certificate ends the handshake; the test's journey in that browser then fails.
  server.on('tlsClientError', () => undefined)
  const listen = () => new Promise<void>(resolve => server.listen(port, 'localhost', resolve))
  const cut = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen()
  return {
    origin: `https://localhost:${port}`,
    certificatePath,
    forwardTo: newPort => (targetPort = newPort),
    cut,
    async restore() {
      if (!server.listening) await listen()
    },
    sentBytes: () => sentBytes,
    async close() {
      if (server.listening) await cut()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes a certificate for localhost with the openssl program. */
function makeCertificate(folder: string): { key: string; certificatePath: string } {
  const key = join(folder, 'key.pem')
  const certificatePath = join(folder, 'certificate.pem')
  const options = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...options, ...names, '-keyout', key, '-out', certificatePath], {
    stdio: 'ignore',
  })
  return { key, certificatePath }
}
