import type { FastifyReply, FastifyRequest } from 'fastify'
import { sharedDeviceHeader } from '#contract/codes.ts'
import type { Configuration } from '#server/config/config.ts'
import type { Transport } from '#server/calls/call.ts'
import { ownOriginOf } from './same-origin.ts'
import { clearCookie, setBrowserCookie, readCookie, refreshCookieSeconds, writeCookie } from './cookies.ts'

export type SentFile = { name: string; type: string; inline: boolean }

/**
 * Creates the transport of one request. `marksBrowser`: the answer sets the cookie of the browser. `sentFile` returns the file
 * that the handler described with `describeFile`. `isCounted`: the handler has not called `skipMetrics`.
 */
export function openTransport(exchange: {
  request: FastifyRequest
  reply: FastifyReply
  config: Configuration
  marksBrowser: boolean
}): { transport: Transport; sentFile: () => SentFile | undefined; isCounted: () => boolean } {
  const { request, reply, config } = exchange
  const isShared = request.headers[sharedDeviceHeader] === '1'
  let file: SentFile | undefined
  let isCounted = true
  const transport: Transport = {
    address: request.ip,
    origin: ownOriginOf(request, config),
    browser: exchange.marksBrowser
      ? setBrowserCookie({ ...exchange, isShared })
      : (readCookie(request, config, 'browser') ?? ''),
    refreshToken: readCookie(request, config, 'refresh'),
    accessToken: readBearerToken(request),
    sharedDevice: isShared,
    setRefreshToken(token) {
      if (token === undefined) clearCookie(exchange, 'refresh')
      // On a shared device the cookie ends when the browser closes, in case the applicant forgets to log out.
      else
        writeCookie(exchange, 'refresh', {
          value: token,
          maxAgeSeconds: isShared ? undefined : refreshCookieSeconds,
        })
    },
    clearSiteData() {
      reply.header('clear-site-data', '"cache", "cookies", "storage"')
    },
    responseClosed() {
      const closed = new AbortController()
      // `close` comes when the response has been sent, or when its connection closes before.
      reply.raw.once('close', () => closed.abort())
      return closed.signal
    },
    describeFile(sent) {
      file = sent
    },
    skipMetrics() {
      isCounted = false
    },
  }
  return { transport, sentFile: () => file, isCounted: () => isCounted }
}

/** Returns the access token of the Authorization header, not verified; undefined when it has none. */
export function readBearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}
