import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'

/** HTTPS in front of a portal that speaks HTTP, on a line that can be cut. */
export type TlsLine = {
  origin: string
  /** The certificate, which is its own authority, as a PEM file. */
  certificate: string
  lead: (port: number) => void
  /** Ends every connection and refuses new ones, as a network without a route does. */
  cut: () => Promise<void>
  mend: () => Promise<void>
  close: () => Promise<void>
}

export async function openTlsLine(port: number): Promise<TlsLine> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-tls-'))
  const { key, certificate } = makeCertificate(folder)
  const sockets = new Set<Socket>()
  let target = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, client => {
    const upstream = connect(target, 'localhost')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => (client.destroy(), upstream.destroy()))
    }
    client.pipe(upstream).pipe(client)
  })
  // A browser that does not trust the certificate ends the handshake; the journey then tells what is missing.
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
    certificate,
    lead: next => (target = next),
    cut,
    async mend() {
      if (!server.listening) await listen()
    },
    async close() {
      if (server.listening) await cut()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A certificate of this run for localhost, by the openssl program. */
function makeCertificate(folder: string): { key: string; certificate: string } {
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  const words = [
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
  execFileSync('openssl', [...words, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { key, certificate }
}
