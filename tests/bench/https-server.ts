import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { PageFiles } from './reference-pages.ts'

/** `key` and `cert`: PEM texts. `fingerprint`: the SHA-256 of the public key, as base64. */
export type Certificate = { key: string; cert: string; fingerprint: string }

/** Makes a certificate for this run; the browser gets its fingerprint as trusted. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`
    execFileSync('openssl', options.split(' '), { stdio: 'ignore' })
    const pem = readFileSync(cert, 'utf8')
    const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
    return {
      key: readFileSync(key, 'utf8'),
      cert: pem,
      fingerprint: createHash('sha256').update(spki).digest('base64'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export type HttpsServer = { port: number; close: () => void }
export type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void

/** Starts a server with HTTP/2 over TLS 1.3, like an operator's proxy. */
export async function startHttpsServer({ key, cert }: Certificate, answer: Answer): Promise<HttpsServer> {
  const server = createSecureServer({ key, cert, minVersion: 'TLSv1.3' }, answer)
  const sessions = new Set<{ destroy: () => void }>()
  server.on('session', session => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the HTTPS server has no port')
  return {
    port: address.port,
    close() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}

/**
 * Called with each request; the returned function is called once the response has left the server, with the size of its
 * body. `destination`: the header Sec-Fetch-Dest of the request; '' without this header.
 */
export type WatchRequest = (request: { path: string; destination: string }) => (bodyBytes: number) => void

/** Forwards every request to the portal's server. */
export function forwardTo(origin: string, watch?: WatchRequest): Answer {
  const { hostname, port } = new URL(origin)
  return (incoming, response) => {
    const finish = watch?.({
      path: incoming.url,
      destination: incoming.headers['sec-fetch-dest'] ?? '',
    })
    let bodyBytes = 0
    if (finish) response.once('finish', () => finish(bodyBytes))
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':')),
    )
    const forwarded = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, host: incoming.authority },
      },
      answer => {
        const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = answer.headers
        response.writeHead(answer.statusCode ?? 502, rest)
        answer.on('data', (chunk: Buffer) => (bodyBytes += chunk.length))
        answer.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  }
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** Serves files from memory, compressed once. */
export function serveFiles(files: PageFiles): Answer {
  const compressed = new Map(
    Object.entries(files).map(([path, content]) => [path, brotliCompressSync(content)] as const),
  )
  return (incoming, response) => {
    const path = (incoming.url.split('?')[0] ?? '/').replace(/\/$/, '/index.html')
    const body = compressed.get(path)
    if (!body) {
      response.writeHead(404).end()
      return
    }
    const type = contentTypes[extname(path)] ?? 'application/octet-stream'
    const cacheControl = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'br', 'cache-control': cacheControl })
    response.end(body)
  }
}
