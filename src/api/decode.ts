import * as z from 'zod/mini'
import { Failure } from '#contract/failure.ts'
import { inFlightReason, type Problem } from './result.ts'

/**
 * Decodes the body of a success. Accepts the envelope of the specification, and the same content without the outer
 * `data`: the specification may describe the response object of an HTTP client, which has the body in its `data` (D10).
 * `body` is undefined when it was not JSON, for example an HTML page: then the answer is unreadable.
 */
export function decodeAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: unknown,
): { kind: 'value'; value: z.output<Schema> } | { kind: 'unreadable' } {
  const candidates = isEnvelope(body) ? [body] : [body, { data: body }]
  for (const candidate of body === undefined ? [] : candidates) {
    const parsed = z.safeParse(schema, candidate)
    if (parsed.success) return { kind: 'value', value: parsed.data }
  }
  return { kind: 'unreadable' }
}

/**
 * True when the body has the outer `data`. `decodeAnswer` then adds no second one: a schema whose fields may all be
 * absent, such as that of a form, would find none of them there, so a form with one unreadable field would become an empty
 * form.
 */
function isEnvelope(body: unknown): boolean {
  return z.safeParse(Envelope, body).success
}

const Envelope = z.object({ data: z.looseObject({}) })

/**
 * Returns the problem that a status and a body describe. Undefined for a status below 500 whose body is not that of a
 * failure: the service did not send such an answer (D34).
 */
export function decodeFailure(status: number, body: unknown): Problem | undefined {
  const parsed = z.safeParse(Failure, body)
  const failure = parsed.success ? parsed.data : undefined
  if (!failure && status < 500) return undefined
  // Another back end may have all of it inside `data`, where D11 has the code.
  const nested = z.safeParse(Failure, failure?.data).data
  return {
    kind: status >= 500 || failure?.reason === inFlightReason ? 'broken' : 'refused',
    status,
    statusCode: codeOf(failure) ?? status,
    message: failure?.message ?? nested?.message,
    reason: failure?.reason,
    errors: failure?.errors ?? nested?.errors ?? [],
    data: failure?.data,
  }
}

/**
 * Returns a refusal that came with a success status, which login and other back ends may send (S47, D11): its body has another
 * code than the status. Undefined for any other body.
 */
export function decodeRefusal(
  status: number,
  body: unknown,
): Extract<Problem, { kind: 'refused' }> | undefined {
  const problem = decodeFailure(status, body)
  return problem?.kind === 'refused' && problem.statusCode !== status ? problem : undefined
}

const NestedCode = z.object({ statusCode: z.number() })

/** Reads `statusCode` inside `data`, otherwise at the top level (D11). */
function codeOf(failure: Failure | undefined): number | undefined {
  const nested = z.safeParse(NestedCode, failure?.data)
  if (nested.success) return nested.data.statusCode
  return failure?.statusCode || undefined
}
