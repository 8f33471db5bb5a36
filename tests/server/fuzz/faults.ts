import type { OutgoingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Failure } from '#contract/failure.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import { type ProblemCode, problems } from '#contract/problems.ts'

export type Response = { statusCode: number; headers: OutgoingHttpHeaders; body: string }

/** Decompresses a response: some changed headers ask for compression. */
export function decode(response: Response & { rawPayload: Buffer }): Response {
  const { statusCode, headers, body, rawPayload } = response
  const encoding = rawPayload.length === 0 ? undefined : headers['content-encoding']
  if (encoding === 'gzip') return { statusCode, headers, body: gunzipSync(rawPayload).toString() }
  if (encoding === 'br') return { statusCode, headers, body: brotliDecompressSync(rawPayload).toString() }
  return { statusCode, headers, body }
}

/** Returns why a response does not fit the contract of its call; undefined when it fits. */
export function faultOfCall({ answer }: Endpoint, response: Response): string | undefined {
  const { statusCode: status } = response
  if (status >= 500) return `server error ${response.body.slice(0, 200)}`
  // The answer to HEAD has no body. The method is not known here, so any answer may be empty.
  if (response.body === '') return isKnownStatus(status) ? undefined : 'has no body'
  const body = readJson(response)
  if (body === undefined) return answer === 'file' && status === 200 ? undefined : 'is no JSON'
  if (status >= 400 || 'reason' in body) return faultOfFailure(response)
  return answer !== 'file' && answer.safeParse(body).success ? undefined : 'is not the answer of the contract'
}

/**
 * Returns why the response of a route that is not in the contract is neither a success of this route nor a known failure;
 * undefined when it is one of them. `successes`: the beginning of the content type for each status of a success; '' fits any.
 */
export function faultOfOther(response: Response, successes: Record<number, string>): string | undefined {
  const { statusCode: status } = response
  if (status >= 500) return `server error ${response.body.slice(0, 200)}`
  const location = headerOf(response, 'location')
  if (location !== '' && !/^\/(?![/\\])/.test(location)) return `leads to ${location}`
  const type = headerOf(response, 'content-type')
  // A changed path may lead to a page of the portal, which is HTML.
  if ((status === 200 && type.startsWith('text/html')) || status === 304) return undefined
  if (Object.hasOwn(successes, status)) {
    return type.startsWith(successes[status] ?? '') ? undefined : `has the type ${type}`
  }
  if (response.body === '' && isKnownStatus(status)) return undefined
  return faultOfFailure(response)
}

function faultOfFailure(response: Response): string | undefined {
  if (/\n\s+at |node_modules|\.[cm]?[jt]s:\d/.test(response.body)) return 'shows a stack'
  const failure = Failure.safeParse(readJson(response))
  const reason = failure.success ? failure.data.reason : undefined
  if (!isProblem(reason)) return `has the reason ${String(reason)}`
  return problems[reason].http === response.statusCode ? undefined : `has the reason ${reason}`
}

function headerOf({ headers }: Response, name: string): string {
  return [headers[name] ?? ''].flat().join(', ')
}

function readJson(response: Response): object | undefined {
  if (!headerOf(response, 'content-type').startsWith('application/json')) return undefined
  const value: unknown = JSON.parse(response.body)
  return typeof value === 'object' && value !== null ? value : undefined
}

function isKnownStatus(status: number): boolean {
  return status === 200 || Object.values(problems).some(({ http }) => http === status)
}

function isProblem(reason: string | undefined): reason is ProblemCode {
  return reason !== undefined && Object.hasOwn(problems, reason)
}
