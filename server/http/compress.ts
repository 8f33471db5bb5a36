import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { publicListPath } from '#contract/open-endpoints.ts'

const compress = promisify(gzip)
/** A shorter answer fits into one packet anyway. */
const minCompressedBytes = 1_400

/**
 * Compresses the lists that are the same for all callers to a third of their size. No other answer of the API is
 * compressed, because the length of a compressed answer leaks its content (BREACH).
 */
export function compressLists(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minCompressedBytes) return payload
    if (!publicListPath.test(request.routeOptions.url ?? '')) return payload
    reply.header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return payload
    const bytes = await compress(payload)
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
    return bytes
  })
}
