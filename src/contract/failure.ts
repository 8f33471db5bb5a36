import * as z from 'zod/mini'

/**
 * The JSON body of a failed call (D11). Only `reason`, a `ProblemCode`, is not in the specification. Every field is
 * optional, because another back end may leave it out.
 */
export const Failure = z.object({
  /** The code by which the specification distinguishes failures; 0 when the body has none. Not the HTTP status. */
  statusCode: z._default(z.nullable(z.number()), 0),
  message: z.optional(z.nullable(z.string())),
  reason: z.optional(z.string()),
  /** Each fault of the request, as a text or with the name of its field. */
  errors: z.optional(
    z.nullable(
      z.array(
        z.union([z.string(), z.object({ field: z.optional(z.string()), message: z.optional(z.string()) })]),
      ),
    ),
  ),
  /** Details of the failure. A `statusCode` in `data` has priority over the `statusCode` above. */
  data: z.optional(z.unknown()),
})
export type Failure = z.output<typeof Failure>
