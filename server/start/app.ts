import { createServer } from 'node:https'
import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify'
import { createHandlers } from './handlers.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { maxBodyBytes, parseJsonBodies } from '#server/http/bodies.ts'
import { registerDeliveryReports } from '#server/http/delivery-reports.ts'
import { compressLists } from '#server/http/compress.ts'
import { answerFailures, sendRefusal } from '#server/http/failures.ts'
import { addSecurityHeaders, securityHeaders } from '#server/http/headers.ts'
import { prerenderedStyleHashes } from '#server/http/prerendered-pages.ts'
import { registerHealth } from '#server/http/health.ts'
import { registerPayPages } from '#server/http/pay-pages.ts'
import { registerPaymentWebhooks } from '#server/http/payment-webhooks.ts'
import { registerEndpoints } from '#server/http/register.ts'
import { registerStaticFiles } from '#server/http/static-files.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import type { AnsweredRequest } from '#server/monitoring/metrics.ts'
import type { Certificate } from '#server/tls/demo-certificate.ts'

export type AppSettings = {
  /** The folder of the built portal; without it the server is the API alone. */
  staticRoot?: string | undefined
  /** Set: the server ends TLS itself; else it speaks plain HTTP. */
  certificate?: Certificate | undefined
  /** Shared with the job that asks about payments; unset: those of the configuration. */
  providers?: PaymentProviders | undefined
  /** Told of each answered request: the route's pattern, never what was asked. */
  onAnswered?: ((answered: AnsweredRequest) => void) | undefined
}

const requestTimeoutMs = 60_000

/** Fastify's own `https` option would change the type of the app, and of all that takes it. */
function tlsServers(certificate: Certificate): FastifyServerFactory {
  return handler => createServer({ ...certificate, requestTimeout: requestTimeoutMs }, handler)
}

/** The whole server but its socket; tests inject requests into it. */
export function createApp(services: Services, settings: AppSettings = {}): FastifyInstance {
  const { config, logger, db } = services
  const providers = settings.providers ?? paymentProviders(services)
  const headers = securityHeaders(config, prerenderedStyleHashes(settings.staticRoot))
  const app = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    routerOptions: { maxParamLength: 200 },
    // A process that is told to stop still answers what is on its way to it: a proxy learns of the end by `connection: close`.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestTimeoutMs,
    ...(settings.certificate && { serverFactory: tlsServers(settings.certificate) }),
    // An address that cannot be read comes before routes and hooks.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(headers)
      sendRefusal(request, reply, { refused: 'not-found' })
    },
    // Clients that do not speak HTTP get no body of ours.
    clientErrorHandler: (_error, socket) => socket.destroy(),
  })
  addSecurityHeaders(app, headers)
  answerFailures(app, logger)
  app.register(fastifyCookie)
  app.addHook('onResponse', async (request, reply) => {
    settings.onAnswered?.({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    })
  })
  registerHealth(app, db)
  registerDeliveryReports(app, services)
  registerPaymentWebhooks(app, services, providers)
  registerPayPages(app, services, providers)
  registerStaticFiles(app, settings.staticRoot)
  app.register(async api => {
    parseJsonBodies(api)
    compressLists(api)
    registerEndpoints(api, services, createHandlers(services, providers))
  })
  return app
}
