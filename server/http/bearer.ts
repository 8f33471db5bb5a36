import type { FastifyRequest } from 'fastify'
import { readCaller } from '#server/features/session/access-token.ts'
import type { Services } from '#server/services.ts'
import type { Caller } from './call.ts'

/** Who calls by the Authorization header; undefined when nobody valid does. */
export async function callerOf(request: FastifyRequest, services: Services): Promise<Caller | undefined> {
  const match = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] === undefined ? undefined : readCaller(services, match[1])
}
