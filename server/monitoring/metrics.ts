import { createServer, type Server } from 'node:http'
import type { Kysely } from 'kysely'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Schema } from '#server/database/schema.ts'
import { measureMessages } from './message-metrics.ts'
import type { Services } from '#server/calls/services.ts'

export type AnsweredRequest = {
  request: string
  method: string
  route: string
  status: number
  milliseconds: number
}

export type Metrics = {
  observe(answered: AnsweredRequest): void
  registry: Registry
}

/** Creates the metrics of the server, by route and never by person. */
export function createMetrics(services: Services): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  measureWaitingMessages(services.db, registry)
  measureMessages(services, registry)
  return {
    registry,
    observe: ({ method, route, status, milliseconds }) =>
      requests.observe({ method, route, status: String(status) }, milliseconds / 1_000),
  }
}

/**
 * Serves /metrics on its own port, which the operator does not open to the public (D6).
 *
 * @throws when the port is taken.
 */
export async function serveMetrics(registry: Registry, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, resolve)
  })
  return server
}

function measureWaitingMessages(db: Kysely<Schema>, registry: Registry): void {
  const waiting = new Gauge({
    name: 'outbox_waiting',
    help: 'Messages that are not sent yet',
    registers: [registry],
    async collect() {
      const { count } = await db
        .selectFrom('outbox')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('sent_at', 'is', null)
        .where('failed_at', 'is', null)
        .executeTakeFirstOrThrow()
      waiting.set(count)
    },
  })
}
