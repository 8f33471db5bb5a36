import type { EndpointName, endpoints } from '#contract/endpoints.ts'
import { type Endpoint, openEndpoints } from '#contract/open-endpoints.ts'
import { decodeAnswer, decodeFailure, decodeRefusal } from './decode.ts'
import { failed, type Result } from './result.ts'

type Endpoints = typeof endpoints

let loadedEndpoints: Endpoints | undefined

/** The calls of a session come with the screens that make them: the sign-in pages do without. */
export async function endpointOf<Name extends EndpointName>(name: Name): Promise<Endpoints[Name]> {
  const known: Partial<Endpoints> = loadedEndpoints ?? openEndpoints
  return known[name] ?? (await loadAll())[name]
}

/** What an answer of the server says; anything else that answers in its place counts as none (D34). */
export async function readResponse(endpoint: Endpoint, response: Response): Promise<Result<unknown>> {
  if (response.redirected || response.status === 511) return failed({ kind: 'unreachable' })
  if (!response.ok) {
    const problem = decodeFailure(response.status, await bodyOf(response))
    return failed(problem ?? { kind: 'unreachable' })
  }
  if (endpoint.answer === 'file') return { ok: true, value: await response.blob() }
  const body = await bodyOf(response)
  const answer = decodeAnswer(endpoint.answer, body)
  if (answer.kind === 'value') return { ok: true, value: answer.value }
  return failed(decodeRefusal(response.status, body) ?? { kind: 'unreachable' })
}

/** An answer that was kept, as it would be read if it came now. */
export async function readCachedResponse(name: EndpointName, body: unknown) {
  const { answer } = await endpointOf(name)
  return answer === 'file' ? ({ kind: 'unreadable' } as const) : decodeAnswer(answer, body)
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined // not JSON: not an answer of the service
  }
}

async function loadAll(): Promise<Endpoints> {
  loadedEndpoints ??= (await import('#contract/endpoints.ts')).endpoints
  return loadedEndpoints
}
