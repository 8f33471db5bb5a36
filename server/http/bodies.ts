import type { FastifyInstance } from 'fastify'

/** A longer body is refused with 413. */
export const maxBodyBytes = 64 * 1024

/**
 * Accepts JSON only (else 415). An empty body is undefined. Drops keys that would change a prototype, like `__proto__`.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') done(null, undefined)
    else void parse(request, body, done)
  })
}

/** Accepts HTML forms too; the body becomes an object of strings. */
export function parseFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
}
