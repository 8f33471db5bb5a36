import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { publicListPath } from '#contract/sign-in-endpoints.ts'

const compress = promisify(gzip)
/** A shorter answer fits into one packet anyway. */
const minCompressedBytes = 1_400

/**
 * Compresses the lists that are the same for all callers to a third of their size, and the PDF files to three quarters.
 * No other answer of the API is compressed, because the length of a compressed answer leaks its content to a page that
 * can put a text of its own into the answer (BREACH). No foreign page can put a text into a PDF.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload
    if (payload.length < minCompressedBytes || !isCompressible(request, reply)) return payload
    reply.header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return payload
    const bytes = await compress(payload)
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
    return bytes
  })
}

function isCompressible(request: FastifyRequest, reply: FastifyReply): boolean {
  const isFile = reply.hasHeader('content-disposition')
  return isFile || publicListPath.test(request.routeOptions.url ?? '')
}
