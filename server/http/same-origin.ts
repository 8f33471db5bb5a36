import type { FastifyRequest } from 'fastify'
import type { Configuration } from '#server/config/config.ts'

/**
 * Whether a call comes from a page of ours: the browser says so in Sec-Fetch-Site, older ones in Origin. A call that
 * says neither is 'unknown': no browser sends one, but a program may.
 */
export function originOf(request: FastifyRequest, config: Configuration): 'ours' | 'foreign' | 'unknown' {
  const site = request.headers['sec-fetch-site']
  if (typeof site === 'string' && site !== '') return site === 'same-origin' ? 'ours' : 'foreign'
  const { origin } = request.headers
  if (origin === undefined) return 'unknown'
  return isAllowedOrigin(origin, request, config) ? 'ours' : 'foreign'
}

function isAllowedOrigin(origin: string, request: FastifyRequest, config: Configuration): boolean {
  if (origin === config.publicOrigin) return true
  return URL.canParse(origin) && new URL(origin).host === request.host
}

/** The origin of this server as the caller's browser knows it, else the public one; never a host that is not ours. */
export function ownOriginOf(request: FastifyRequest, { origins, publicOrigin }: Configuration): string {
  const asked = `${request.protocol}://${request.host}`
  return origins.includes(asked) ? asked : publicOrigin
}
