import type { FastifyInstance } from 'fastify'
import { webhookSources, isWebhookSource } from '#server/features/payments/webhook-sources.ts'
import { handleWebhook } from '#server/features/payments/webhook.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { sendRefusal } from './failures.ts'

type Route = { Params: { source: string }; Querystring: Record<string, string>; Body: string | undefined }

/**
 * Where payment providers report. A report is a wake-up and never an outcome, so one that is not signed does no harm;
 * one whose signature is wrong wakes nobody. The answer tells nothing of what we know.
 */
export function registerPaymentWebhooks(
  app: FastifyInstance,
  services: Services,
  providers: PaymentProviders,
): void {
  app.register(async hooks => {
    hooks.removeAllContentTypeParsers()
    // Byte for byte: signatures are over what was sent.
    hooks.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    hooks.route<Route>({
      method: ['GET', 'POST', 'PUT'],
      url: '/hooks/payments/:source',
      async handler(request, reply) {
        const { source } = request.params
        if (!isWebhookSource(source)) return sendRefusal(request, reply, { refused: 'not-found' })
        const { query, headers, body = '' } = request
        const reading = webhookSources[source].read(services.config.payments)({ query, headers, body })
        if (reading.kind === 'forged') {
          services.logger.warn({ source }, 'A payment call-back with a wrong signature')
          return sendRefusal(request, reply, { refused: 'forbidden' })
        }
        if (reading.kind === 'about') await handleWebhook(services, providers, { source, about: reading })
        return reply.code(200).type('text/plain; charset=utf-8').send('OK')
      },
    })
  })
}
