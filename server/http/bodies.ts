import type { FastifyInstance } from 'fastify'

/** A longer body is refused with 413. */
export const maxBodyBytes = 64 * 1024

/** A body with more levels of objects and lists is refused with 422. The deepest one of the contract has three. */
const maxDepth = 20

/**
 * Accepts JSON only (else 415). An empty body is undefined. Drops keys that would change a prototype, like `__proto__`. Refuses
 * a body with too many levels: a function that calls itself for each level could use up the stack. Removes the other parsers,
 * so call it before `parseFormBodies`.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') done(null, undefined)
    else if (isDeeper(body, maxDepth)) done(new DeepBodyError(), undefined)
    else void parse(request, body, done)
  })
}

class DeepBodyError extends Error {
  readonly statusCode = 400 // failures.ts answers 422 to such an error
  constructor() {
    super(`The body has more than ${maxDepth} levels.`)
  }
}

/** Counts brackets outside of strings, in one pass; the text need not be valid JSON. */
function isDeeper(json: string, maxLevels: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length && depth <= maxLevels; index += 1) {
    const character = json[index]
    if (character === '"') inString = !inString
    else if (inString && character === '\\') index += 1
    else if (!inString && (character === '[' || character === '{')) depth += 1
    else if (!inString && (character === ']' || character === '}')) depth -= 1
  }
  return depth > maxLevels
}

/** Accepts HTML forms beside what the instance accepts already; the body becomes an object of strings. */
export function parseFormBodies(app: FastifyInstance): void {
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
}
