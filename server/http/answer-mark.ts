import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { answerMarkHeader, formatAnswerMark } from '#contract/answer-mark.ts'
import { apiRoot } from '#contract/codes.ts'
import { release } from '#server/config/asset-path.ts'
import { isUnder } from './headers.ts'

/**
 * Marks every answer under `/api/v1`, so that the portal can tell it from the answer of a proxy or a captive portal
 * (D60). The digest is of the body as the portal reads it: register this before a hook that encodes the body.
 */
export function markAnswers(app: FastifyInstance, epoch: string): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isUnder(`${apiRoot}/`, request)) return payload
    const body = payload ?? ''
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      throw new Error(`The answer of ${request.routeOptions.url} is a stream: it cannot be marked.`)
    const digest = createHash('sha256').update(body).digest('base64url')
    reply.header(answerMarkHeader, formatAnswerMark({ release, epoch, digest }))
    return payload
  })
}
