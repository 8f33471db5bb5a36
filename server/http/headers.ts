import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config/config.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import type { InlineHashes } from './prerendered-pages.ts'

/**
 * Returns the Content-Security-Policy of the portal. It allows the portal's own files, with reCAPTCHA also those of
 * Google; inline only the import map and the styles with these hashes; and Trusted Types only of the named policies.
 * The service worker caches this header with the page, so a nonce would not work.
 */
export function contentSecurityPolicy(config: PolicyFacts, inline: InlineHashes = noneInline): string {
  const google = config.captcha === 'recaptcha'
  // A card form is sent to a gateway, and browsers check the redirects that follow against `form-action` too.
  const forms = [...cardGateways(config.payments), ...config.payments.cardOrigins]
  const api = config.apiOrigin === undefined ? '' : ` ${config.apiOrigin}`
  return [
    "default-src 'none'",
    [
      "script-src 'self'",
      ...inline.scripts,
      ...(google ? ['https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/'] : []),
    ].join(' '),
    ...(google
      ? ['frame-src https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/']
      : []),
    ["style-src 'self'", ...inline.styles].join(' '),
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${api}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    // The form of the receipt goes to the API (API13).
    [`form-action 'self'${api}`, ...forms].join(' '),
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The script of reCAPTCHA creates policies with these names.
    google
      ? "trusted-types sw-url card-page recaptcha-url goog#html recaptcha#html 'allow-duplicates'"
      : 'trusted-types sw-url card-page',
  ].join('; ')
}

const noneInline: InlineHashes = { styles: [], scripts: [] }

export type PolicyFacts = Pick<Configuration, 'captcha' | 'payments' | 'apiOrigin'>

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), otp-credentials=(self)',
} as const

/**
 * Adds the headers to every response, except that to a URL that Fastify refuses (it cannot decode the URL, or a
 * parameter is too long): no hook runs for such a URL, and `frameworkErrors` adds them. A route can replace the policy
 * before it answers.
 */
export function addSecurityHeaders(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers)
    if (isUnder('/api/', request)) reply.header('cache-control', 'no-store')
  })
}

/** Whether a request is for a path under `root`. The route decides too: a client may encode any letter of the path. */
export function isUnder(root: string, { url, routeOptions }: FastifyRequest): boolean {
  return url.startsWith(root) || routeOptions.url?.startsWith(root) === true
}

/** Texts to which the file server gives no character set. */
const textTypes = ['image/svg+xml', 'application/manifest+json']

/** Names the character set of these texts too, so that no browser guesses one. */
export function addCharacterSets(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = reply.getHeader('content-type')
    if (typeof type === 'string' && textTypes.includes(type)) reply.type(`${type}; charset=utf-8`)
    return payload
  })
}

/** Returns the security headers for this configuration and these inline elements of its pages. */
export function securityHeaders(
  config: Configuration,
  inline: InlineHashes = noneInline,
): Record<string, string> {
  return {
    ...always,
    'content-security-policy': contentSecurityPolicy(config, inline),
    // Without HSTS for the demo certificate: HSTS would block http://localhost for every other program too.
    ...(config.publicOrigin.startsWith('https:') && !config.tls
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}
