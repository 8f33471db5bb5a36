import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import fastify from 'fastify'
import { readConfig } from '#server/config/config.ts'
import { addSecurityHeaders, securityHeaders } from '#server/http/headers.ts'
import { inlineHashes } from '#server/http/prerendered-pages.ts'
import { registerStaticFiles } from '#server/http/static-files.ts'

type Settings = {
  /** The folder of a built portal. */
  root: string
  /** The VITE_ variables of that build. */
  environment?: Record<string, string>
  port?: number
  /** Answers the requests under `/api/` on the same origin. */
  handleApi?: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

/**
 * Serves a built portal with the headers of our own server, in front of another back end or of none.
 *
 * @throws when the environment has faults.
 */
export async function startStaticPortal({ root, environment = {}, port = 0, handleApi }: Settings) {
  const read = readConfig(environment)
  if (read.kind === 'faults') throw new Error(read.faults.join(' '))
  const app = fastify()
  if (handleApi)
    app.addHook('onRequest', async (request, reply) => {
      if (!request.url.startsWith('/api/')) return
      reply.hijack()
      await handleApi(request.raw, reply.raw)
    })
  addSecurityHeaders(app, securityHeaders(read.config, inlineHashes(root)))
  await app.register(fastifyCookie)
  registerStaticFiles(app, root)
  await app.listen({ port, host: 'localhost' })
  const address = app.server.address()
  const origin = `http://localhost:${typeof address === 'object' ? address?.port : ''}`
  return { origin, close: () => app.close() }
}
