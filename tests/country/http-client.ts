import { Agent, request } from 'node:http'
import { apiRoot } from '#contract/codes.ts'

export type Answer = { status: number; body: Record<string, unknown>; retryAfterSeconds: number | undefined }

/** `token`: for calls that need an applicant. `key`: the idempotency key. */
type Sent = { body?: string | undefined; token?: string | undefined; key?: string | undefined }

/** Sends single requests as a page of the portal does, and keeps the cookies. */
export type HttpClient = {
  /**
   * `path`: under /api/v1, or a path of /hooks/. Undefined: no answer came, or the connection broke. Rejects when the
   * JSON of an answer is broken.
   */
  send(method: string, path: string, sent?: Sent): Promise<Answer | undefined>
  /** The cookies, by name. A test may delete one. */
  cookies: Map<string, string>
  close(): void
}

export type HttpClientSettings = {
  /** The address of nginx, or of one process. */
  origin: string
  /** The address of the device, in 127.0.0.0/8. */
  localAddress?: string
  /** Headers of each request. */
  headers?: Record<string, string>
}

/** The portal's time limit of a call (src/api/client.ts); here the longest time without a byte on the connection. */
const timeoutMs = 30_000

export function createHttpClient({ origin, localAddress, headers = {} }: HttpClientSettings): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ...(localAddress && { localAddress }) })
  const cookies = new Map<string, string>()
  const { hostname, port, host } = new URL(origin)

  const headersOf = ({ body, token, key }: Sent) => ({
    host,
    origin,
    'sec-fetch-site': 'same-origin',
    cookie: [...cookies].map(pair => pair.join('=')).join('; '),
    ...headers,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  })

  return {
    cookies,
    close: () => agent.destroy(),
    send: (method, path, sent = {}) =>
      new Promise(resolve => {
        const call = request(
          {
            hostname: hostname === 'localhost' ? '127.0.0.1' : hostname,
            port,
            path: path.startsWith('/hooks/') ? path : `${apiRoot}${path}`,
            method,
            headers: headersOf(sent),
            agent,
            timeout: timeoutMs,
          },
          response => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', () => resolve(undefined))
            response.on('end', () => {
              storeCookies(response.headers['set-cookie'] ?? [], cookies)
              resolve(toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)))
            })
          },
        )
        call.on('timeout', () => call.destroy())
        call.on('error', () => resolve(undefined))
        call.end(sent.body)
      }),
  }
}

function storeCookies(lines: readonly string[], cookies: Map<string, string>): void {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
}

async function toAnswer(status: number, headers: Record<string, unknown>, bytes: Buffer): Promise<Answer> {
  const isJson = String(headers['content-type']).startsWith('application/json')
  const retryAfter = Number(headers['retry-after'])
  return {
    status,
    body: isJson ? (JSON.parse(bytes.toString()) as Answer['body']) : {}, // each JSON answer of the API is an object
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
  }
}
