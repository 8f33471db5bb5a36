import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config.ts'
import type { Transport } from './call.ts'
import { clearCookie, markBrowser, readCookie, writeCookie } from './cookies.ts'

/** Said with a log-out on a device that others use too. */
export const sharedDeviceHeader = 'x-shared-device'

export type SentFile = { name: string; type: string; inline: boolean }

/** What a handler may see and do of the request beyond its parts. `sentFile` is what it asked for by `sendFile`. */
export function openTransport(exchange: {
  request: FastifyRequest
  reply: FastifyReply
  config: Configuration
  marksBrowser: boolean
}): { transport: Transport; sentFile: () => SentFile | undefined } {
  const { request, reply, config } = exchange
  let file: SentFile | undefined
  const transport: Transport = {
    address: request.ip,
    browser: exchange.marksBrowser ? markBrowser(exchange) : (readCookie(request, config, 'browser') ?? ''),
    refreshToken: readCookie(request, config, 'refresh'),
    sharedDevice: request.headers[sharedDeviceHeader] === '1',
    setRefreshToken(token, maxAgeSeconds) {
      if (token === undefined) clearCookie(exchange, 'refresh')
      else writeCookie(exchange, 'refresh', { value: token, maxAgeSeconds })
    },
    clearSiteData() {
      reply.header('clear-site-data', '"cache", "cookies", "storage"')
    },
    sendFile(sent) {
      file = sent
    },
  }
  return { transport, sentFile: () => file }
}
