import type { FastifyInstance, FastifyReply } from 'fastify'

/** The probes of a supervisor and of a proxy, which ask every few seconds: they are not logged. */
export const probePaths: readonly string[] = ['/health', '/ready']

/**
 * Mounts /health, which answers 200 while the process runs and touches nothing, and /ready, which answers 200 when
 * `probe` could write to the database, else 503 (D6). A probe of the last second is used again, so that many requests do
 * not cost more than one.
 */
export function registerHealth(app: FastifyInstance, probe: () => Promise<void>): void {
  let last: { at: number; isReady: Promise<boolean> } | undefined
  app.get('/health', (_request, reply) => send(reply, true))
  app.get('/ready', async (_request, reply) => {
    if (last === undefined || performance.now() - last.at > reuseMs) {
      const isReady = probe().then(
        () => true,
        () => false,
      )
      last = { at: performance.now(), isReady }
    }
    return send(reply, await last.isReady)
  })
}

const reuseMs = 1_000

function send(reply: FastifyReply, isGood: boolean): FastifyReply {
  return reply
    .code(isGood ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({ status: isGood ? 'ok' : 'unavailable' })
}
