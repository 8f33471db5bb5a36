import { readJson } from './read-json.ts'

const defaultTimeoutMs = 10_000
/** Whoever answers more than this is no gateway. */
const maxResponseChars = 1_000_000

export type GatewayResponse =
  | { kind: 'answered'; status: number; body: unknown; text: string }
  | { kind: 'unanswered'; reason: string }

export type GatewayRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: string
  /** How long to wait; milliseconds. */
  timeoutMs?: number
}

/** One request to somebody's gateway, whose answer is JSON, a page or nothing. Redirects are not followed: they would take the key along. */
export async function requestGateway(url: string, asked: GatewayRequest): Promise<GatewayResponse> {
  const { method = 'POST', headers, body, timeoutMs = defaultTimeoutMs } = asked
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
    // The name says enough; the text may quote the address.
    return { kind: 'unanswered', reason: error instanceof Error ? error.name : 'unknown' }
  }
}
