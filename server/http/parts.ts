import type { FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import type { Endpoint } from '#contract/open-endpoints.ts'
import { toIssueCode } from '#contract/issues.ts'

export type Parts = { params: unknown; query: unknown; body: unknown }
export type FieldError = { field: string; message: string }

/**
 * Parses the parts of a request by the contract's schemas: drops unknown keys and adds defaults. Else returns every
 * fault.
 */
export function readParts(
  endpoint: Endpoint,
  request: FastifyRequest,
): { kind: 'parts'; parts: Parts } | { kind: 'faults'; errors: FieldError[] } {
  const params = endpoint.params.safeParse(request.params)
  const query = endpoint.query.safeParse(request.query)
  const body = endpoint.body.safeParse(request.body ?? {})
  if (params.success && query.success && body.success)
    return { kind: 'parts', parts: { params: params.data, query: query.data, body: body.data } }
  return { kind: 'faults', errors: [params, query, body].flatMap(errorsOf) }
}

function errorsOf(result: z.core.util.SafeParseResult<unknown>): FieldError[] {
  return (result.error?.issues ?? []).map(issue => ({
    field: issue.path.map(String).join('.'),
    message: toIssueCode(issue.message),
  }))
}
