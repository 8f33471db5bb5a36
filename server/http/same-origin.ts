import type { FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config/config.ts'

/**
 * Whether a page of the portal sent the call ('portal'), by Sec-Fetch-Site, or by Origin in older browsers. A call with
 * neither header is 'unknown': a program sent it, because a browser sends at least one of them with each POST.
 */
export function senderOf(request: FastifyRequest, config: Configuration): 'portal' | 'foreign' | 'unknown' {
  const site = request.headers['sec-fetch-site']
  if (typeof site === 'string' && site !== '') return site === 'same-origin' ? 'portal' : 'foreign'
  const { origin } = request.headers
  if (origin === undefined) return 'unknown'
  return isAllowedOrigin(origin, request, config) ? 'portal' : 'foreign'
}

function isAllowedOrigin(origin: string, request: FastifyRequest, config: Configuration): boolean {
  if (origin === config.publicOrigin) return true
  return URL.canParse(origin) && new URL(origin).host === request.host
}

/** Returns the configured origin that the caller's browser uses, else the public one; never an unknown host. */
export function ownOriginOf(request: FastifyRequest, { origins, publicOrigin }: Configuration): string {
  const asked = `${request.protocol}://${request.host}`
  return origins.includes(asked) ? asked : publicOrigin
}
