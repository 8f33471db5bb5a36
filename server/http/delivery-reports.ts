import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { storeReport } from '#server/features/messages/delivery-reports.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'
import { readReports, reportingProviders } from '#server/integrations/sms-reports.ts'
import type { Services } from '#server/calls/services.ts'
import { parseJsonBodies } from './bodies.ts'
import { sendRefusal } from './failures.ts'

const Params = z.object({ provider: z.enum(reportingProviders), key: z.string() })

/**
 * Accepts delivery reports of SMS gateways. Gateways do not sign reports, so the key in the URL authorises them. With
 * the key a caller can only report whether a message arrived; without it the answer is 404, and the body is not read.
 */
export function registerDeliveryReports(app: FastifyInstance, services: Services): void {
  const { reportKey } = services.config.sms
  app.register(async reports => {
    parseJsonBodies(reports)
    // Before the body is read.
    reports.addHook('onRequest', async (request, reply) => {
      const key = Params.safeParse(request.params).data?.key
      if (reportKey === undefined || key === undefined || !isEqualConstantTime(key, reportKey))
        return sendRefusal(request, reply, { refused: 'not-found' })
    })
    reports.post('/hooks/sms/:provider/:key', async (request, reply) => {
      const { provider } = Params.parse(request.params)
      for (const report of readReports(provider, request.body)) await storeReport(services, provider, report)
      return reply.code(204).send()
    })
  })
}
