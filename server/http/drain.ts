import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Waits until the connections of a server that is stopping have ended. Loses no request that is answered within
 * `maxWaitMs` of the call.
 */
export type Drain = {
  /**
   * Accepts no new connections. Each later answer says `connection: close`. Resolves when no connection is open, or after
   * `maxWaitMs`.
   */
  drain: (maxWaitMs: number) => Promise<void>
}

/**
 * Call before the server listens: after that, Fastify takes no more hooks. A proxy keeps connections open and may send
 * a request at the moment at which the server closes an idle one: that request gets no answer. So a server that is
 * stopping keeps its connections for at most `maxWaitMs`; each ends after its next answer, which tells the proxy so.
 */
export function prepareDrain(app: FastifyInstance): Drain {
  let isDraining = false
  app.addHook('onSend', async (_request, reply) => {
    if (isDraining) reply.header('connection', 'close')
  })
  return {
    async drain(maxWaitMs) {
      isDraining = true
      const ended = new Promise<void>(resolve => {
        // Not the method of http.Server, which also closes the idle connections.
        Server.prototype.close.call(app.server, () => resolve())
      })
      await Promise.race([ended, new Promise(resolve => setTimeout(resolve, maxWaitMs).unref())])
    },
  }
}
