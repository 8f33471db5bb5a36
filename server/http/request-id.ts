import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Configuration } from '#server/config/config.ts'
import { plainHash } from '#server/crypto/keyed-hash.ts'
import { charactersOf } from '#server/crypto/random-characters.ts'
import { requestIds } from '#server/monitoring/request-context.ts'

const requestIdHeader = 'x-request-id'

/**
 * Returns the function that Fastify calls for each request. It takes the id of the request's header when this id is
 * well-formed and the server runs behind trusted proxies; otherwise it makes a new one.
 */
export function createRequestIds({ trustedProxies }: Pick<Configuration, 'trustedProxies'>) {
  return ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
    const sent = trustedProxies.length > 0 ? headers[requestIdHeader] : undefined
    return typeof sent === 'string' && isWellFormed(sent) ? sent : randomUUID()
  }
}

/**
 * Whether the id has 16 to 64 letters, digits, `_` and `-`, as a UUID or an id of nginx has. At least one must be a letter:
 * without a letter it may be a phone number, for example with hyphens, which must not get into the log.
 */
function isWellFormed(id: string): boolean {
  return /^[\w-]{16,64}$/.test(id) && !/^[\d_-]*$/.test(id)
}

/**
 * Sends the id with each answer, but not with the answer to a URL that Fastify refuses (it cannot decode the URL, or a
 * parameter is too long), because no hook runs for such a URL. Makes the id known to the logger.
 */
export function markRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header(requestIdHeader, request.id)
  })
  // This hook runs after the body has arrived, because the events of a socket do not keep the context of an earlier hook.
  app.addHook('preValidation', (request, _reply, done) => requestIds.run(request.id, done))
}

/**
 * Returns a code for the id of a request: eight letters or digits with a hyphen in the middle, short enough to be read out on
 * the phone.
 */
export function incidentOf(requestId: string): string {
  const bytes = Buffer.from(plainHash(requestId), 'base64url')
  const characters = charactersOf(bytes.subarray(0, 8))
  return `${characters.slice(0, 4)}-${characters.slice(4)}`
}
