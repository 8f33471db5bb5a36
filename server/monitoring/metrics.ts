import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { eventMetrics } from '#server/calls/event-counts.ts'
import type { PoolLoad } from '#server/database/bounded-pool.ts'
import { measureDatabase } from './database-metrics.ts'
import type { Services } from '#server/calls/services.ts'

export type AnsweredRequest = {
  /** The id of the request, as in the log. */
  request: string
  method: string
  /** The pattern of the route, never the URL; `none` without a route. */
  route: string
  status: number
  milliseconds: number
}

export type Metrics = {
  observe(answered: AnsweredRequest): void
  /** Counts a call that was refused because the process was busy (`reachesLimit` in server/http/load-shedding.ts). */
  observeShed(priority: string): void
  /** Reads the figures of the database, which a scrape then shows. */
  readDatabase: () => Promise<void>
  registry: Registry
}

/** Creates the metrics of the server, by route and never by person. */
export function createMetrics(services: Services, poolLoad: () => PoolLoad): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    // The bucket of 2 s is for the service level of docs/runbook.md.
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 10],
    registers: [registry],
  })
  const shed = new Counter({
    name: 'shed_requests_total',
    help: 'Calls that were refused with 503 because the process had too many calls (D92)',
    labelNames: ['priority'],
    registers: [registry],
  })
  measurePool(poolLoad, registry)
  for (const metric of eventMetrics) registry.registerMetric(metric)
  return {
    registry,
    readDatabase: measureDatabase(services, registry),
    observe: ({ method, route, status, milliseconds }) =>
      requests.observe({ method, route, status: String(status) }, milliseconds / 1_000),
    observeShed: priority => shed.inc({ priority }),
  }
}

function measurePool(poolLoad: () => PoolLoad, registry: Registry): void {
  const connections = new Gauge({
    name: 'database_connections',
    help: 'Connections of this process to the database: the limit, open, and idle',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { size, open, idle } = poolLoad()
      connections.set({ state: 'limit' }, size)
      connections.set({ state: 'open' }, open)
      connections.set({ state: 'idle' }, idle)
    },
  })
  const waiting = new Gauge({
    name: 'database_statements_waiting',
    help: 'Statements and transactions that wait for a connection',
    registers: [registry],
    collect() {
      waiting.set(poolLoad().waiting)
    },
  })
  const longestWait = new Gauge({
    name: 'database_longest_wait_seconds',
    help: 'How long the oldest waiting statement or transaction has waited for a connection',
    registers: [registry],
    collect() {
      longestWait.set(poolLoad().longestWaitMs / 1_000)
    },
  })
}

/**
 * Serves /metrics on its own port, which the operator does not open to the public (D6).
 *
 * @throws when the port is taken or forbidden, or the host is not of this machine.
 */
export async function serveMetrics(
  registry: Registry,
  address: { port: number; host: string },
): Promise<Server> {
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
  server.listen(address)
  // `once` then removes its listener for errors, so that no later error is ignored.
  await once(server, 'listening')
  return server
}
