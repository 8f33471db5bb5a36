import type { Parts, SentRequest } from './changed-requests.ts'
import type { Response } from './faults.ts'

/**
 * `applied`: the names of the random changes that were made to the request. `must`: the only status that fits this request;
 * undefined when several statuses fit.
 */
export type BuiltRequest = { request: SentRequest; applied: string[]; must?: number | undefined }

/** A way to send requests to the server: a call or other routes. `routes`: its registered routes, as "METHOD /path". */
export type Way = {
  name: string
  routes: readonly string[]
  build(parts: Parts): BuiltRequest
  /** Returns why a response does not fit; undefined when it fits. */
  faultOf(response: Response): string | undefined
}
