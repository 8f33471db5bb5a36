import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOfDigest, formatAnswerMark, readAnswerNonce } from '#contract/answer-mark.ts'
import { answerMarkHeader, answerNonceHeader, apiRoot } from '#contract/codes.ts'
import { release } from '#server/config/asset-path.ts'
import { isUnder } from './headers.ts'

/**
 * Marks every answer under `/api/v1`, so that the portal can tell it from the answer of a proxy or a captive portal
 * (D60). Only the answer to a URL that Fastify refuses (it cannot decode the URL, or a parameter is too long) has no
 * mark. The mark repeats the nonce of the request, also on the stored answer to a repeated write (D13). The digest is
 * of the body as the portal reads it: register this before a hook that encodes the body. A file that the phone has
 * already is not sent again: the answer is 304 (D37).
 */
export function markAnswers(app: FastifyInstance, epoch: string): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isUnder(`${apiRoot}/`, request)) return payload
    const body = payload ?? ''
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      throw new Error(`The answer of ${request.routeOptions.url} is a stream: it cannot be marked.`)
    const digest = digestOf(body)
    const isKnown = isKnownFile({ request, reply, digest })
    const sentDigest = isKnown ? digestOf('') : digest
    const nonce = readAnswerNonce(request.headers[answerNonceHeader])
    reply.header(answerMarkHeader, formatAnswerMark({ release, epoch, digest: sentDigest, nonce }))
    if (!isKnown) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-disposition')
    return null
  })
}

/** Gives a file its ETag. Returns whether the phone has this file already: its request names the same ETag. */
function isKnownFile({ request, reply, digest }: SentBody): boolean {
  if (request.method !== 'GET' || !reply.hasHeader('content-disposition')) return false
  const etag = etagOfDigest(digest)
  reply.header('etag', etag)
  return request.headers['if-none-match'] === etag
}

type SentBody = { request: FastifyRequest; reply: FastifyReply; digest: string }

function digestOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}
