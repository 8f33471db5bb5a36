import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config/config.ts'

/** The cookie with the refresh token, and the one with the random id of the browser. */
type CookieSubject = 'refresh' | 'browser'

/**
 * Lifetime of the browser cookie: 180 days, or one day on a shared device. A request for a code renews it, except
 * `askDormantCode`.
 */
const browserCookieSeconds = { own: 180 * 86_400, shared: 86_400 }

/**
 * Lifetime of the refresh cookie on the applicant's own device: 30 days, much longer than its session, which the server ends. The
 * browser measures it by the phone's clock, which may be set forward during the session (D22).
 */
export const refreshCookieSeconds = 30 * 86_400

/** Undefined when the cookie is missing, empty or longer than 200 characters. */
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
  cookie: { value: string; /** Undefined: until the browser closes. */ maxAgeSeconds: number | undefined },
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

/** Returns the random id of the browser and renews its cookie; creates the id when the browser sends none. */
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
 * WebKit, and Chromium before about 120, refuse `Secure` cookies over http://localhost. Only the demo runs there, so
 * only its cookies lack `Secure` and the `__Host-` prefix, which requires `Secure` (D65).
 */
function isSecure(request: FastifyRequest, config: Configuration): boolean {
  const isPlainDemo =
    config.profile === 'demo' && config.publicOrigin.startsWith('http:') && request.protocol === 'http'
  return !isPlainDemo || !isLoopbackName(request.hostname)
}

/** Whether the host name means the browser's own machine; browsers trust such an address without TLS. */
function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name.endsWith('.localhost') || name === '127.0.0.1' || name === '::1'
}
