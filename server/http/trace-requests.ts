import type { FastifyInstance, FastifyRequest } from 'fastify'
import { currentTracer, type OpenSpan } from '#server/calls/tracing.ts'
import { probePaths } from './health.ts'

/**
 * Makes a span of each request except the probes, by the pattern of its route and never by its URL. Each request begins a
 * trace: a `traceparent` is ignored, because anybody can send one. Without a tracer nothing is registered.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracer = currentTracer()
  if (tracer === undefined) return
  const spans = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('onRequest', async request => {
    const route = routeOf(request)
    if (probePaths.includes(route)) return
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'request.id': request.id,
    }
    spans.set(request, tracer.start({ name: `${request.method} ${route}`, kind: 'server', attributes }))
  })
  // Only after the body has arrived: a context of an earlier hook would be lost in the events of the socket.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.run(done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply
    spans.get(request)?.end({
      attributes: { 'http.response.status_code': statusCode },
      hasFailed: statusCode >= 500,
    })
  })
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}
