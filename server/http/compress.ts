import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

const compress = promisify(gzip)
/** Below this an answer fits into one packet anyway. */
const minCompressedBytes = 1_400
const listPath = /\/(?:dictionary\/[a-z-]+|countries|cities|offices)$/

/**
 * Lists that are the same for everybody travel compressed, a third of their size. No other answer of the API does:
 * the length of a compressed text tells something of what it holds.
 */
export function compressLists(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minCompressedBytes) return payload
    if (!listPath.test(request.routeOptions.url ?? '')) return payload
    reply.header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return payload
    const bytes = await compress(payload)
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
    return bytes
  })
}
