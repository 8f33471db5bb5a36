import * as z from 'zod/mini'

/** What does not fit the schema counts as absent. */
function ifReadable<Value>(schema: z.ZodMiniType<Value>) {
  return z.pipe(
    z.optional(z.unknown()),
    z.transform(value => z.safeParse(schema, value).data),
  )
}

const textIfAny = z.optional(ifReadable(z.string()))

/**
 * The JSON body of a failed call (D11). Only `reason`, a `ProblemCode`, is not in the specification. Every field is
 * optional, because another back end may leave it out. The specification does not say what `errors` contains (S41): a
 * text, or a list of other items than below, counts as absent, and `statusCode` is read all the same.
 */
export const Failure = z.object({
  /** The code by which the specification distinguishes failures; 0 or null when there is none. Not the HTTP status. */
  statusCode: z._default(z.nullable(z.number()), 0),
  message: textIfAny,
  reason: textIfAny,
  /** Each fault of the request, as a text or with the name of its field. */
  errors: ifReadable(z.array(z.union([z.string(), z.object({ field: textIfAny, message: textIfAny })]))),
  /** Details of the failure. A `statusCode` in `data` has priority over the `statusCode` above. */
  data: z.optional(z.unknown()),
})
export type Failure = z.output<typeof Failure>
