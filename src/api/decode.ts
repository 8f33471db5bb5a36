import * as z from 'zod/mini'
import { Failure } from '#contract/failure.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { Problem } from './result.ts'

/**
 * Reads a success literally as the specification writes it, or one `data` level higher, as an existing back
 * end described through its HTTP client would send it (D10).
 */
export function decodeAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: unknown,
): { kind: 'value'; value: z.output<Schema> } | { kind: 'unreadable' } {
  for (const candidate of [body, { data: body }]) {
    const read = z.safeParse(schema, candidate)
    if (read.success) return { kind: 'value', value: read.data }
  }
  return { kind: 'unreadable' }
}

/** The problem that an answer of status 400 and above stands for; undefined when it is not the service's. */
export function decodeFailure(status: number, body: unknown): Problem | undefined {
  const read = z.safeParse(Failure, body)
  const failure = read.success ? read.data : undefined
  if (!failure && status < 500) return undefined
  return {
    kind: status >= 500 || failure?.reason === inFlightReason ? 'broken' : 'refused',
    status,
    statusCode: codeOfNestedFailure(failure) ?? status,
    message: failure?.message ?? undefined,
    reason: failure?.reason,
    errors: failure?.errors ?? [],
    data: failure?.data,
  }
}

/** The same intent is being worked on, since an earlier try: neither a yes nor a no yet (D13). */
const inFlightReason: ProblemCode = 'in-flight'

/** A refusal that came with a status of success, as login's may (S47): its body names a code of its own. */
export function decodeRefusal(status: number, body: unknown): Problem | undefined {
  const problem = decodeFailure(status, body)
  return problem?.kind === 'refused' && problem.statusCode !== status ? problem : undefined
}

const NestedCode = z.object({ statusCode: z.number() })

/** statusCode stands at the top or inside data (D11). */
function codeOfNestedFailure(failure: Failure | undefined): number | undefined {
  const nested = z.safeParse(NestedCode, failure?.data)
  if (nested.success) return nested.data.statusCode
  return failure?.statusCode || undefined
}
