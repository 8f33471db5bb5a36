import type { Server as HttpServer } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { nearNetworkOf } from '#server/calls/networks.ts'
import type { Configuration } from '#server/config/config.ts'

/**
 * Limits of a slow client: `headersMs` for the headers of a request, `requestMs` for all of it, and `silentMs` without a
 * byte in either direction. `checkMs`: how often Node checks the first two. A payment request that the server holds open
 * ends before `silentMs`. The client must take an answer within `answerMs` plus the time that its size needs at
 * `answerBytesPerSecond`. Even six connections that share the slowest mobile network are each far faster.
 */
export type SlowClientLimits = {
  headersMs: number
  requestMs: number
  silentMs: number
  checkMs: number
  answerMs: number
  answerBytesPerSecond: number
}

export const slowClientLimits: SlowClientLimits = {
  headersMs: 15_000,
  requestMs: 60_000,
  silentMs: 120_000,
  checkMs: 5_000,
  answerMs: 120_000,
  answerBytesPerSecond: 200,
}

/** The settings of Node's server that cut slow clients off. */
export function slowClientOptions({ headersMs, requestMs, checkMs }: SlowClientLimits) {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkMs }
}

/** Bounds the connections of an address, and the time that a client may take. */
export function limitClients(app: FastifyInstance, config: Configuration, limits: SlowClientLimits): void {
  limitConnections(app.server, config)
  limitSlowReaders(app, limits)
}

/** Cuts off a client that takes an answer too slowly, although it takes some bytes now and then. */
function limitSlowReaders(app: FastifyInstance, { answerMs, answerBytesPerSecond }: SlowClientLimits): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const bytes = bytesOf(payload) ?? Number(reply.getHeader('content-length') ?? 0)
    // Whole seconds, so that most timers share one list of Node.
    const ms = answerMs + Math.ceil(bytes / answerBytesPerSecond) * 1_000
    const timer = setTimeout(() => reply.raw.destroy(), ms)
    timer.unref()
    for (const end of ['finish', 'close']) reply.raw.once(end, () => clearTimeout(timer))
    return payload
  })
}

function bytesOf(payload: unknown): number | undefined {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return payload instanceof Uint8Array ? payload.byteLength : undefined
}

/**
 * Closes a new connection at once when its address, or the /64 of an IPv6 address, already has `connectionsPerAddress`
 * connections. A trusted proxy is exempt, because all applicants come through it: it bounds them itself
 * (docs/packaging/nginx.conf).
 */
function limitConnections(
  server: Pick<HttpServer, 'on'>,
  { connectionsPerAddress: most, trustedProxies }: Configuration,
): void {
  if (most === undefined) return
  const isProxy = readProxies(trustedProxies)
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (isProxy(address)) return
    const network = nearNetworkOf(address)
    const count = (open.get(network) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}

/** Names that Fastify's `trustProxy` knows. */
const namedRanges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function readProxies(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of trusted.flatMap(each => namedRanges[each] ?? [each])) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return address => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** An IPv4 client of a socket that listens on `::` has an address such as ::ffff:192.0.2.1. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
