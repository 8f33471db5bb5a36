import type { FastifyInstance } from 'fastify'
import type { Configuration } from '#server/config/config.ts'
import { cardGateways } from '#server/config/payment-config.ts'

/**
 * Nothing but our own files, no inline script, no style in a page but those that the build wrote into it, no markup out
 * of strings but through the named policies. Kept in the offline shell together with the page, so it holds no nonce.
 */
export function contentSecurityPolicy(config: PolicyFacts, styleHashes: readonly string[] = []): string {
  const google = config.captcha === 'recaptcha'
  // A form goes to the card gateways too, and browsers hold the redirects that follow to the same list.
  const forms = [...cardGateways(config.payments), ...config.payments.cardOrigins]
  const api = config.apiOrigin === undefined ? '' : ` ${config.apiOrigin}`
  return [
    "default-src 'none'",
    `script-src 'self'${google ? ' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/' : ''}`,
    ...(google
      ? ['frame-src https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/']
      : []),
    ["style-src 'self'", ...styleHashes].join(' '),
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${api}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    ["form-action 'self'", ...forms].join(' '),
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // reCAPTCHA's own script makes policies of its own names.
    google
      ? "trusted-types sw-url card-page recaptcha-url goog#html recaptcha#html 'allow-duplicates'"
      : 'trusted-types sw-url card-page',
  ].join('; ')
}

export type PolicyFacts = Pick<Configuration, 'captcha' | 'payments' | 'apiOrigin'>

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), otp-credentials=(self)',
} as const

/** On every answer, whoever makes it; a route may set its own policy before it answers. */
export function addSecurityHeaders(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers)
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
  })
}

export function securityHeaders(
  config: Configuration,
  styleHashes: readonly string[] = [],
): Record<string, string> {
  return {
    ...always,
    'content-security-policy': contentSecurityPolicy(config, styleHashes),
    // Not for the demo's own certificate: browsers would refuse http://localhost to every other program, too.
    ...(config.publicOrigin.startsWith('https:') && !config.tls
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}
