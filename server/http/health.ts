import type { FastifyInstance } from 'fastify'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

const timeoutMs = 2_000

/** Mounts /health: 200 when the database answers within 2 s, else 503 (D6). */
export function registerHealth(app: FastifyInstance, db: Kysely<Schema>): void {
  app.get('/health', async (_request, reply) => {
    const healthy = await respondsInTime(db)
    return reply
      .code(healthy ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: healthy ? 'ok' : 'unavailable' })
  })
}

async function respondsInTime(db: Kysely<Schema>): Promise<boolean> {
  const late = new Promise<false>(resolve => {
    setTimeout(() => resolve(false), timeoutMs).unref()
  })
  const answered = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  return Promise.race([answered, late])
}
