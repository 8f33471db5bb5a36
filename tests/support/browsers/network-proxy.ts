import { createServer, type Server, type Socket, connect } from 'node:net'

/** The faults of a network. `refuse` lasts one second, a captive portal 1.5 seconds; the others hit one request. */
export const networkFaults = [
  'refuse',
  'reset-before',
  'reset-after',
  'hang',
  'slow',
  'cut',
  'captive-200',
  'captive-302',
  'captive-511',
  /** The server gets the request, and the client gets half of the body, with a Content-Length that fits this half. */
  'truncate',
  /** The server gets the request twice. */
  'duplicate',
  /** The server gets the request, and the mark of its response is of another body (D60). */
  'wrong-mark',
] as const

const foreignStatuses = [200, 204, 302, 401, 403, 404, 409, 413, 429, 500, 502, 503, 511] as const
const foreignBodies = ['empty', 'html', 'json'] as const

/** The answers of a machine between browser and server. The server does not get the request. */
export const foreignAnswers = foreignStatuses.flatMap(status =>
  foreignBodies
    .filter(body => status !== 204 || body === 'empty')
    .map(body => `foreign-${status}-${body}` as const),
)

export type FaultKind = (typeof networkFaults | typeof foreignAnswers)[number]

export type ProxiedRequest = {
  method: string
  path: string
  /** The idempotency key (D13). */
  key: string | undefined
  authorization: string | undefined
  body: string
}

export type NetworkProxy = {
  origin: string
  port: number
  /** Every request that the proxy has read since the last `clearRequests`, oldest first; `refuse` leaves some unread. */
  requests: () => ProxiedRequest[]
  clearRequests: () => void
  /** Makes the fault once: it begins with the next request that fits. */
  arm: (kind: FaultKind, fits: (request: ProxiedRequest) => boolean) => void
  /** Whether the armed fault has begun. */
  hasStruck: () => boolean
  forwardTo: (port: number) => void
  close: () => Promise<void>
}

type ProxySettings = { /** Milliseconds. */ hangMs?: number }

const refuseMs = 1_000
const captiveMs = 1_500
const slowChunkBytes = 200
const slowIntervalMs = 100

/** A TCP proxy between browser and server that makes the armed fault. Each connection has one request. */
export async function startNetworkProxy({ hangMs = 30_000 }: ProxySettings = {}): Promise<NetworkProxy> {
  let target = 0
  let requests: ProxiedRequest[] = []
  let armed: { kind: FaultKind; fits: (request: ProxiedRequest) => boolean } | undefined
  let struck = false
  /** The fault of every request until a time. */
  let lasting: { kind: FaultKind; until: number } | undefined
  const sockets = new Set<Socket>()

  function faultFor(request: ProxiedRequest): FaultKind | undefined {
    if (lasting && performance.now() < lasting.until) return lasting.kind
    if (!armed?.fits(request)) return undefined
    const { kind } = armed
    armed = undefined
    struck = true
    if (kind === 'refuse') lasting = { kind, until: performance.now() + refuseMs }
    if (kind.startsWith('captive')) lasting = { kind, until: performance.now() + captiveMs }
    return kind
  }

  const server = createServer(client => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    if (lasting?.kind === 'refuse' && performance.now() < lasting.until) return client.resetAndDestroy()
    readRequest(client, (request, bytes) => {
      requests.push(request)
      applyFault(faultFor(request), { client, bytes, target, hangMs })
    })
    return undefined
  })
  const port = await listen(server)

  return {
    origin: `http://localhost:${port}`,
    port,
    requests: () => requests,
    clearRequests: () => (requests = []),
    arm(kind, fits) {
      struck = false
      armed = { kind, fits }
    },
    hasStruck: () => struck,
    forwardTo: next => (target = next),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

type Exchange = { client: Socket; bytes: Buffer; target: number; hangMs: number }

function applyFault(fault: FaultKind | undefined, exchange: Exchange): void {
  const { client, hangMs } = exchange
  switch (fault) {
    case undefined:
      return forward(exchange, answer => client.end(answer))
    case 'refuse':
    case 'reset-before':
      client.resetAndDestroy()
      return
    case 'reset-after':
      return forward(exchange, () => client.resetAndDestroy())
    case 'hang':
      setTimeout(() => client.resetAndDestroy(), hangMs).unref()
      return
    case 'slow':
      return forward(exchange, answer => sendSlowly(client, answer))
    case 'cut':
      return forward(exchange, answer => {
        const head = answer.indexOf('\r\n\r\n') + 4
        client.write(answer.subarray(0, head + Math.floor((answer.length - head) / 2)), () =>
          client.resetAndDestroy(),
        )
      })
    case 'truncate':
      return forward(exchange, answer => client.end(truncated(answer)))
    case 'duplicate':
      return forward(exchange, () => forward(exchange, answer => client.end(answer)))
    case 'wrong-mark':
      return forward(exchange, answer => client.end(withWrongMark(answer)))
    case 'captive-200':
    case 'captive-302':
    case 'captive-511':
      client.end(captivePage(fault))
      return
    default:
      client.end(foreignAnswer(fault))
  }
}

/** Half of the body, with the header that fits it. */
function truncated(answer: Buffer): Buffer {
  const head = answer.indexOf('\r\n\r\n') + 4
  const body = answer.subarray(head, head + Math.floor((answer.length - head) / 2))
  const headers = answer
    .subarray(0, head)
    .toString('latin1')
    .replace(/^content-length:.*$/im, `content-length: ${body.length}`)
  return Buffer.concat([Buffer.from(headers, 'latin1'), body])
}

function withWrongMark(answer: Buffer): Buffer {
  const text = answer.toString('latin1').replace(/^(x-answer-mark: \S+ \S+) \S+/im, '$1 of-another-body')
  return Buffer.from(text, 'latin1')
}

/** An answer with this status and an empty body, a page, or JSON that is not the server's. */
function foreignAnswer(kind: (typeof foreignAnswers)[number]): string {
  const [, status, bodyKind] = kind.split('-')
  const bodies = {
    empty: { type: 'text/plain', text: '' },
    html: { type: 'text/html', text: '<!doctype html><title>Wi-Fi</title><p>Sign in to the network</p>' },
    json: { type: 'application/json', text: '{"login":"need"}' },
  }
  const { type, text } = bodies[foreignBodies.find(each => each === bodyKind) ?? 'empty']
  const place = status === '302' ? 'Location: http://127.0.0.1:9/login\r\n' : ''
  const length = status === '204' ? '' : `Content-Type: ${type}\r\nContent-Length: ${text.length}\r\n`
  return `HTTP/1.1 ${status} Foreign\r\n${place}${length}Connection: close\r\n\r\n${text}`
}

/** Sends the request to the server and calls `give` with the complete response. */
function forward({ client, bytes, target }: Exchange, give: (answer: Buffer) => void): void {
  const upstream = connect(target, 'localhost')
  const chunks: Buffer[] = []
  upstream.on('data', chunk => chunks.push(chunk))
  upstream.on('end', () => give(Buffer.concat(chunks)))
  upstream.on('error', () => client.resetAndDestroy())
  upstream.write(bytes)
}

function sendSlowly(client: Socket, answer: Buffer, from = 0): void {
  if (client.destroyed) return
  if (from >= answer.length) return void client.end()
  client.write(answer.subarray(from, from + slowChunkBytes))
  setTimeout(() => sendSlowly(client, answer, from + slowChunkBytes), slowIntervalMs).unref()
}

/** Reads one request and adds `Connection: close`, so that each connection has one request. */
function readRequest(client: Socket, give: (request: ProxiedRequest, bytes: Buffer) => void): void {
  let bytes = Buffer.alloc(0)
  let done = false
  client.on('data', chunk => {
    if (done) return
    bytes = Buffer.concat([bytes, chunk])
    const head = bytes.indexOf('\r\n\r\n')
    if (head < 0) return
    const lines = bytes.subarray(0, head).toString('latin1').split('\r\n')
    const length = Number(headerOf(lines, 'content-length') ?? 0)
    if (bytes.length < head + 4 + length) return
    done = true
    const [method = '', path = ''] = (lines[0] ?? '').split(' ')
    const body = bytes.subarray(head + 4, head + 4 + length)
    const otherHeaders = lines.filter(line => !/^connection:/i.test(line))
    const whole = Buffer.concat([
      Buffer.from(`${otherHeaders.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1'),
      body,
    ])
    const key = headerOf(lines, 'idempotency-key')
    const authorization = headerOf(lines, 'authorization')
    give({ method, path, key, authorization, body: body.toString('utf8') }, whole)
  })
}

function headerOf(lines: string[], name: string): string | undefined {
  const line = lines.find(each => each.toLowerCase().startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim()
}

function captivePage(kind: 'captive-200' | 'captive-302' | 'captive-511'): string {
  const page = '<!doctype html><title>Wi-Fi</title><p>Sign in to the network</p>'
  const status = {
    'captive-200': '200 OK',
    'captive-302': '302 Found',
    'captive-511': '511 Network Authentication Required',
  }
  const place = kind === 'captive-302' ? 'Location: http://127.0.0.1:9/login\r\n' : ''
  return `HTTP/1.1 ${status[kind]}\r\nContent-Type: text/html\r\n${place}Content-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`
}

function listen(server: Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, 'localhost', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
