import { readJson } from './read-json.ts'

const defaultTimeoutMs = 10_000
/** Maximum length of a response, in characters; a longer response counts as no answer. */
const maxResponseChars = 1_000_000

export type GatewayResponse =
  | { kind: 'answered'; status: number; body: unknown; text: string }
  | { kind: 'unanswered'; reason: string }

export type GatewayRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: string
  timeoutMs?: number
}

/**
 * Sends one request to a gateway, whose response is JSON, a page or empty. `body` is undefined when the response is not
 * JSON. Redirects are not followed, because they would send the key to another address.
 */
export async function requestGateway(url: string, request: GatewayRequest): Promise<GatewayResponse> {
  const { method = 'POST', headers, body, timeoutMs = defaultTimeoutMs } = request
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (text.length > maxResponseChars) return { kind: 'unanswered', reason: 'TooLong' }
    return { kind: 'answered', status: response.status, body: readJson(text), text }
  } catch (error) {
    // Only the error's name: its text may contain the address.
    return { kind: 'unanswered', reason: error instanceof Error ? error.name : 'unknown' }
  }
}
