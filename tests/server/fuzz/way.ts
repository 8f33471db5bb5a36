import type { Parts, SentRequest } from './changed-requests.ts'
import type { Response } from './faults.ts'

/** `must`: the only status that fits this request; undefined when several do. */
export type BuiltRequest = { request: SentRequest; applied: string[]; must?: number | undefined }

/** A way into the server. `routes`: what the server registers for it, as "METHOD /path". */
export type Way = {
  name: string
  routes: readonly string[]
  build(parts: Parts): BuiltRequest
  /** Why an answer does not fit; undefined when it does. */
  faultOf(response: Response): string | undefined
}
