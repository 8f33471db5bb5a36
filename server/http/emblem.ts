import type { FastifyInstance } from 'fastify'
import type { Emblem } from '#server/config/config-values.ts'

/** Sends the image beside the issuer's name (NAV28). Its path changes with the image, so a browser keeps it for a year. */
export function registerEmblem(app: FastifyInstance, emblem: Emblem | undefined): void {
  if (emblem === undefined) return
  app.get(emblem.path, (_request, reply) =>
    reply
      .type(emblem.mediaType)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(emblem.bytes),
  )
}
