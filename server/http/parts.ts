import type { FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import { toIssueCode } from '#contract/issues.ts'

export type RequestParts = { params: unknown; query: unknown; body: unknown }
/** `field`: the path of the field, joined with dots. `message`: an issue code of the contract, which the portal translates. */
export type FieldError = { field: string; message: string }

/**
 * Parses the parts of a request by the contract's schemas: drops unknown keys and adds defaults. Returns every error
 * when a part does not match its schema.
 */
export function readParts(
  endpoint: Endpoint,
  request: FastifyRequest,
): { kind: 'parts'; parts: RequestParts } | { kind: 'errors'; errors: FieldError[] } {
  const params = endpoint.params.safeParse(request.params)
  const query = endpoint.query.safeParse(request.query)
  const body = endpoint.body.safeParse(request.body ?? {})
  if (params.success && query.success && body.success)
    return { kind: 'parts', parts: { params: params.data, query: query.data, body: body.data } }
  return { kind: 'errors', errors: [params, query, body].flatMap(errorsOf) }
}

function errorsOf(result: z.core.util.SafeParseResult<unknown>): FieldError[] {
  return (result.error?.issues ?? []).map(issue => ({
    field: issue.path.map(String).join('.'),
    message: toIssueCode(issue.message),
  }))
}
