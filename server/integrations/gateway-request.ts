import { parseJson } from '#contract/parse-json.ts'

const defaultTimeoutMs = 10_000
/** Maximum length of a response; a longer response counts as no answer. */
const maxResponseBytes = 1_000_000

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
 * JSON. Never throws: without a complete response in time the result is `unanswered`. A redirect is `unanswered` too:
 * the server does not follow it, because that would send the key to another address.
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
    const text = await readText(response)
    if (text === undefined) return { kind: 'unanswered', reason: 'TooLong' }
    return { kind: 'answered', status: response.status, body: parseJson(text), text }
  } catch (error) {
    return { kind: 'unanswered', reason: reasonOf(error) }
  }
}

/** The code of the network or of TLS, else the error's name; never its message, which may contain the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : error.name
}

/** Undefined when the body is too long: the rest is not read, so that no gateway can fill the memory. */
async function readText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let readBytes = 0
  for await (const chunk of response.body ?? []) {
    readBytes += chunk.byteLength
    if (readBytes > maxResponseBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
