import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config/config.ts'
import { isLoopbackName } from './loopback-name.ts'

type CookieSubject = 'refresh' | 'browser'

/** A browser's mark outlives its sign-ins, each of which renews it; on a shared device it lives no longer than one may take. */
const browserCookieSeconds = { own: 180 * 86_400, shared: 86_400 }

export function readCookie(
  request: FastifyRequest,
  config: Configuration,
  subject: CookieSubject,
): string | undefined {
  const value = request.cookies[cookieName(request, config, subject)]
  return value === undefined || value === '' || value.length > 200 ? undefined : value
}

export function writeCookie(
  exchange: { request: FastifyRequest; reply: FastifyReply; config: Configuration },
  subject: CookieSubject,
  cookie: { value: string; /** None: as long as the browser runs. */ maxAgeSeconds: number | undefined },
): void {
  const { request, reply, config } = exchange
  reply.setCookie(cookieName(request, config, subject), cookie.value, {
    ...attributes(request, config),
    ...(cookie.maxAgeSeconds !== undefined && { maxAge: cookie.maxAgeSeconds }),
  })
}

export function clearCookie(
  exchange: { request: FastifyRequest; reply: FastifyReply; config: Configuration },
  subject: CookieSubject,
): void {
  const { request, reply, config } = exchange
  reply.clearCookie(cookieName(request, config, subject), attributes(request, config))
}

/** The browser's mark, made on first contact. */
export function setBrowserCookie(exchange: {
  request: FastifyRequest
  reply: FastifyReply
  config: Configuration
  isShared: boolean
}): string {
  const value =
    readCookie(exchange.request, exchange.config, 'browser') ?? randomBytes(24).toString('base64url')
  const maxAgeSeconds = browserCookieSeconds[exchange.isShared ? 'shared' : 'own']
  writeCookie(exchange, 'browser', { value, maxAgeSeconds })
  return value
}

function cookieName(request: FastifyRequest, config: Configuration, subject: CookieSubject): string {
  return isSecure(request, config) ? `__Host-${subject}` : subject
}

function attributes(request: FastifyRequest, config: Configuration): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(request, config) }
}

/**
 * WebKit and Chromium before 120 or so refuse `Secure` cookies over http://localhost. Only the demo is served there, so
 * only there the cookies go without `Secure` and without the `__Host-` prefix, which demands it (D65).
 */
function isSecure(request: FastifyRequest, config: Configuration): boolean {
  const isPlainDemo =
    config.profile === 'demo' && config.publicOrigin.startsWith('http:') && request.protocol === 'http'
  return !isPlainDemo || !isLoopbackName(request.hostname)
}
