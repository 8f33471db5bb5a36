import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Returns the address of a request as path and query. A client of a proxy may send a whole URL. The router finds the route of
 * its path, but code that reads `request.url` would take the host of the URL for a part of the path, and redirect to it.
 */
export function pathAndQuery({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

/** Answers a request with an unknown `Expect` as any other: Node would send a 417 of its own, without the security headers. */
export function ignoreExpectations(app: FastifyInstance): void {
  const server: Pick<Server, 'on' | 'emit'> = app.server
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
}
