import type { EndpointName, endpoints } from '#contract/endpoints.ts'
import { type Endpoint, openEndpoints } from '#contract/open-endpoints.ts'
import { decodeAnswer, decodeFailure, decodeRefusal } from './decode.ts'
import { failed, type Result } from './result.ts'

type Endpoints = typeof endpoints

let loadedEndpoints: Endpoints | undefined

/** Returns an endpoint of the contract. Endpoints that need a session are loaded at their first use. */
export async function endpointOf<Name extends EndpointName>(name: Name): Promise<Endpoints[Name]> {
  const known: Partial<Endpoints> = loadedEndpoints ?? openEndpoints
  return known[name] ?? (await loadAll())[name]
}

/** A response whose body has arrived: parsed JSON, or a blob; undefined when the body is neither. */
export type Received = { response: Response; body: unknown }

/** Reads the body of a response. @throws the browser's error when the connection breaks while the body arrives */
export async function receive(endpoint: Endpoint, response: Response): Promise<Received> {
  if (isForeign(response)) return { response, body: undefined }
  return {
    response,
    body: response.ok && endpoint.answer === 'file' ? await response.blob() : await jsonOf(response),
  }
}

/** Returns the value or the problem of a response. A response that is not the service's is `unreachable` (D34). */
export function decodeResponse(endpoint: Endpoint, { response, body }: Received): Result<unknown> {
  const unreachable = failed({ kind: 'unreachable' })
  if (isForeign(response)) return unreachable
  if (!response.ok) {
    const problem = decodeFailure(response.status, body)
    return problem === undefined ? unreachable : failed(problem)
  }
  if (endpoint.answer === 'file') return { ok: true, value: body }
  const answer = decodeAnswer(endpoint.answer, body)
  if (answer.kind === 'value') return { ok: true, value: answer.value }
  const refusal = decodeRefusal(response.status, body)
  return refusal === undefined ? unreachable : failed(refusal)
}

/** Decodes a cached answer with today's schema: another release may have cached it. */
export async function readCachedResponse(name: EndpointName, body: unknown) {
  const { answer } = await endpointOf(name)
  return answer === 'file' ? ({ kind: 'unreadable' } as const) : decodeAnswer(answer, body)
}

/** A captive portal redirects, or answers with status 511 (D34). */
function isForeign(response: Response): boolean {
  return response.redirected || response.status === 511
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined // not JSON, so not a response of the service
  }
}

async function loadAll(): Promise<Endpoints> {
  loadedEndpoints ??= (await import('#contract/endpoints.ts')).endpoints
  return loadedEndpoints
}
