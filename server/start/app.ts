import { createServer } from 'node:https'
import fastifyCookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify'
import { createCalls } from './handlers.ts'
import type { Listen } from '#server/database/listener.ts'
import { createPaymentWaits } from '#server/features/payments/payment-waits.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { maxBodyBytes, parseJsonBodies } from '#server/http/bodies.ts'
import { registerDeliveryReports } from '#server/http/delivery-reports.ts'
import { compressAnswers } from '#server/http/compress.ts'
import {
  limitClients,
  type SlowClientLimits,
  slowClientLimits,
  slowClientOptions,
} from '#server/http/connections.ts'
import { answerFailures, sendRefusal } from '#server/http/failures.ts'
import { addCharacterSets, addSecurityHeaders, securityHeaders } from '#server/http/headers.ts'
import { inlineHashes } from '#server/http/prerendered-pages.ts'
import { markAnswers } from '#server/http/answer-mark.ts'
import { registerEmblem } from '#server/http/emblem.ts'
import { registerHealth } from '#server/http/health.ts'
import { type LoadShedding, shedLoad } from '#server/http/load-shedding.ts'
import { registerPayPages } from '#server/http/pay-pages.ts'
import { registerPaymentWebhooks } from '#server/http/payment-webhooks.ts'
import { registerEndpoints } from '#server/http/register-endpoints.ts'
import { createRequestIds, markRequests } from '#server/http/request-id.ts'
import { ignoreExpectations, pathAndQuery } from '#server/http/request-target.ts'
import { registerStaticFiles } from '#server/http/static-files.ts'
import { traceRequests } from '#server/http/trace-requests.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import type { AnsweredRequest } from '#server/monitoring/metrics.ts'
import type { Certificate } from '#server/tls/demo-certificate.ts'

export type AppSettings = {
  /** The folder of the built portal; without it the server does not serve the portal, only the rest. */
  staticRoot?: string | undefined
  /** Set: the server terminates TLS itself; else it serves plain HTTP. */
  certificate?: Certificate | undefined
  /** Shared with the reconciler; unset: the providers of the configuration. */
  providers?: PaymentProviders | undefined
  /** Receives the notifications of all processes, so that a held request answers at once (D68). */
  listen?: Listen | undefined
  /** How often a held request also reads its payment without a notification. Unset: the usual time. */
  paymentTickMs?: number | undefined
  /** Writes to the database, for /ready. Unset: /ready answers as /health. */
  probe?: (() => Promise<void>) | undefined
  /** Set: a busy process refuses calls. */
  shedding?: LoadShedding | undefined
  /** Unset: the usual limits. */
  slowClients?: SlowClientLimits | undefined
  /**
   * Called after each response, except to a URL that Fastify refuses. Gets the pattern of the route, never the URL or
   * its data.
   */
  onAnswered?: ((answered: AnsweredRequest) => void) | undefined
}

/** Used instead of Fastify's `https` option, which would change the type of the app. */
function tlsServers(certificate: Certificate, limits: SlowClientLimits): FastifyServerFactory {
  return handler => createServer({ ...certificate, ...slowClientOptions(limits) }, handler)
}

/** Creates the server without a socket; tests inject requests. */
export function createApp(services: Services, settings: AppSettings = {}): FastifyInstance {
  const { config, logger } = services
  const providers = settings.providers ?? paymentProviders(services)
  const waits = createPaymentWaits(settings.listen, settings.paymentTickMs)
  const limits = settings.slowClients ?? slowClientLimits
  const headers = securityHeaders(config, inlineHashes(settings.staticRoot))
  const app = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    genReqId: createRequestIds(config),
    rewriteUrl: pathAndQuery,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    routerOptions: { maxParamLength: 200 },
    // After SIGTERM the server still answers requests that arrive; `connection: close` tells the proxy to reconnect.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.silentMs,
    http: slowClientOptions(limits),
    ...(settings.certificate && { serverFactory: tlsServers(settings.certificate, limits) }),
    // A URL that Fastify cannot decode, or with a parameter longer than `maxParamLength`, fails before routes and
    // hooks.
    frameworkErrors: (_error, request, reply) => {
      reply.headers(headers)
      sendRefusal(request, reply, { refused: 'not-found' })
    },
    // A client that sends no valid HTTP gets no response.
    clientErrorHandler: (_error, socket) => socket.destroy(),
  })
  limitClients(app, config, limits)
  ignoreExpectations(app)
  addSecurityHeaders(app, headers)
  addCharacterSets(app)
  markRequests(app)
  traceRequests(app)
  answerFailures(app, logger)
  markAnswers(app, services.epoch)
  app.register(fastifyCookie)
  reportAnswers(app, settings.onAnswered)
  // Before the server waits for its running requests.
  app.addHook('preClose', () => waits.close())
  registerHealth(app, settings.probe ?? (() => Promise.resolve()))
  registerDeliveryReports(app, services)
  registerPaymentWebhooks(app, services, providers)
  registerPayPages(app, services, { providers, shedding: settings.shedding })
  registerEmblem(app, config.emblem)
  registerStaticFiles(app, settings.staticRoot)
  app.register(async api => {
    parseJsonBodies(api)
    compressAnswers(api)
    if (settings.shedding) shedLoad(api, settings.shedding)
    registerEndpoints(api, services, createCalls(services, providers, waits))
  })
  return app
}

function reportAnswers(app: FastifyInstance, onAnswered: AppSettings['onAnswered']): void {
  app.addHook('onResponse', async (request, reply) => {
    onAnswered?.({
      method: request.method,
      request: request.id,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    })
  })
}
