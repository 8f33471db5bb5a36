import * as z from 'zod/mini'

/** The body of a failed call (D11). `reason` is a `ProblemCode`, which the specification does not have. */
export const Failure = z.object({
  statusCode: z._default(z.nullable(z.number()), 0),
  message: z.optional(z.nullable(z.string())),
  reason: z.optional(z.string()),
  errors: z.optional(
    z.nullable(
      z.array(
        z.union([z.string(), z.object({ field: z.optional(z.string()), message: z.optional(z.string()) })]),
      ),
    ),
  ),
  data: z.optional(z.unknown()),
})
export type Failure = z.output<typeof Failure>
