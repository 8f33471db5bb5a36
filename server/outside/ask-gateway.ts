import { readJson } from './read-json.ts'

const usualPatienceMilliseconds = 10_000
/** Whoever answers more than this is no gateway. */
const longestAnswer = 1_000_000

export type GatewayAnswer =
  | { kind: 'answered'; status: number; body: unknown; text: string }
  | { kind: 'unanswered'; reason: string }

export type GatewayQuestion = {
  method?: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: string
  /** How long to wait; milliseconds. */
  patience?: number
}

/** One request to somebody's gateway, whose answer is JSON, a page or nothing. Redirects are not followed: they would take the key along. */
export async function askGateway(url: string, asked: GatewayQuestion): Promise<GatewayAnswer> {
  const { method = 'POST', headers, body, patience = usualPatienceMilliseconds } = asked
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    })
    const text = await response.text()
    if (text.length > longestAnswer) return { kind: 'unanswered', reason: 'TooLong' }
    return { kind: 'answered', status: response.status, body: readJson(text), text }
  } catch (error) {
    // The name says enough; the text may quote the address.
    return { kind: 'unanswered', reason: error instanceof Error ? error.name : 'unknown' }
  }
}
