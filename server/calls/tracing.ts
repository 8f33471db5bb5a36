/**
 * What a span says, as attributes of OpenTelemetry: words of closed lists, numbers, the id of the request and the name
 * of an error, never data of a person. No URL, no query, no text of an error, no value of a statement (D106).
 */
type SpanAttributes = Record<string, string | number>

export type NewSpan = {
  name: string
  kind: 'server' | 'client' | 'internal'
  attributes?: SpanAttributes
}

export type OpenSpan = {
  /** Runs the work as a part of this span: spans that begin in it are its children. */
  run<Result>(work: () => Result): Result
  end(outcome: { attributes?: SpanAttributes; hasFailed: boolean }): void
}

export type Tracer = {
  start(span: NewSpan): OpenSpan
  /** Records a span that ends now and has lasted `durationMs`. */
  record(span: NewSpan, outcome: { durationMs: number; hasFailed: boolean }): void
  /** Sends the spans that wait. */
  stop(): Promise<void>
}

let current: Tracer | undefined

/** Traces all work of this process from now on. Undefined: traces nothing, which is the default. */
export function setTracer(tracer: Tracer | undefined): void {
  current = tracer
}

export function currentTracer(): Tracer | undefined {
  return current
}

/** Runs work inside a span. Without a tracer it only runs the work. */
export async function traced<Result>(
  span: NewSpan,
  work: () => Promise<Result>,
  hasFailed: (result: Result) => boolean = () => false,
): Promise<Result> {
  const open = current?.start(span)
  if (open === undefined) return work()
  try {
    const result = await open.run(work)
    open.end({ hasFailed: hasFailed(result) })
    return result
  } catch (error) {
    open.end({ attributes: { 'error.type': typeOf(error) }, hasFailed: true })
    throw error
  }
}

/** The name alone: the text of an error can quote a row. */
function typeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
