import type { FastifyRequest } from 'fastify'
import { readBearer } from '#server/features/session/access-token.ts'
import type { Services } from '#server/calls/services.ts'
import type { Caller } from '#server/calls/call.ts'

/** Who calls by the Authorization header, whose session may have ended; undefined when nobody valid does. */
export async function bearerOf(request: FastifyRequest, services: Services): Promise<Caller | undefined> {
  const match = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] === undefined ? undefined : readBearer(services, match[1])
}
