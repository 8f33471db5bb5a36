import type { FastifyInstance } from 'fastify'
import { webhookSources, isWebhookSource } from '#server/features/payments/webhook-sources.ts'
import { handleWebhook } from '#server/features/payments/webhook.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { sendRefusal } from './failures.ts'

type Route = { Params: { source: string }; Querystring: Record<string, string>; Body: string | undefined }

/**
 * Registers the route to which payment providers send their webhooks: /hooks/payments/{source}. A webhook only starts a
 * status query and never sets an outcome (D42), so a provider without an agreed secret may send unsigned webhooks. A
 * bank must always sign. Answers 403 to a webhook that names a payment, must be signed, and has no signature or a wrong
 * one; 404 to an unknown source; 200 to all others that the server can process, so that the response does not reveal
 * whether a payment exists.
 */
export function registerPaymentWebhooks(
  app: FastifyInstance,
  services: Services,
  providers: PaymentProviders,
): void {
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    // The body stays unparsed, because the signature covers its exact bytes.
    scope.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.route<Route>({
      method: ['GET', 'POST', 'PUT'],
      url: '/hooks/payments/:source',
      async handler(request, reply) {
        const { source } = request.params
        if (!isWebhookSource(source)) return sendRefusal(request, reply, { refused: 'not-found' })
        const { query, headers, body = '' } = request
        const reading = webhookSources[source].read(services.config.payments)({ query, headers, body })
        if (reading.kind === 'forged') {
          services.logger.warn(
            { source },
            'A payment webhook has no signature or a wrong one and was refused. Check the secret of this provider.',
          )
          return sendRefusal(request, reply, { refused: 'forbidden' })
        }
        if (reading.kind === 'payment') await handleWebhook(services, providers, { source, reading })
        return reply.code(200).type('text/plain; charset=utf-8').send('OK')
      },
    })
  })
}
