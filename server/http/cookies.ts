import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config.ts'

type CookieSubject = 'refresh' | 'browser'

/** A browser's mark outlives its sign-ins, each of which renews it; on a shared device it lives no longer than one may take. */
const browserMarkSeconds = { own: 180 * 86_400, shared: 86_400 }

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
export function markBrowser(exchange: {
  request: FastifyRequest
  reply: FastifyReply
  config: Configuration
  isShared: boolean
}): string {
  const value =
    readCookie(exchange.request, exchange.config, 'browser') ?? randomBytes(24).toString('base64url')
  const maxAgeSeconds = browserMarkSeconds[exchange.isShared ? 'shared' : 'own']
  writeCookie(exchange, 'browser', { value, maxAgeSeconds })
  return value
}

/**
 * `__Host-` cookies need a secure origin. Browsers take http://localhost for one; a trial over plain HTTP in a local
 * network gets a name without the promise that the prefix makes.
 */
function cookieName(request: FastifyRequest, config: Configuration, subject: CookieSubject): string {
  return isSecure(request, config) ? `__Host-${subject}` : subject
}

function attributes(request: FastifyRequest, config: Configuration): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(request, config) }
}

function isSecure(request: FastifyRequest, config: Configuration): boolean {
  if (config.publicOrigin.startsWith('https:')) return true
  const host = request.hostname.toLowerCase()
  return host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]'
}
