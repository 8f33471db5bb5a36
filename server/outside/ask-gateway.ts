const patienceMilliseconds = 10_000

export type GatewayAnswer =
  | { kind: 'answered'; status: number; body: unknown }
  | { kind: 'unanswered'; reason: string }

/** One POST to somebody's gateway, whose answer is JSON or nothing. Redirects are not followed: they would take the key along. */
export async function askGateway(
  url: string,
  asked: { headers: Record<string, string>; body: string },
): Promise<GatewayAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      ...asked,
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMilliseconds),
    })
    return { kind: 'answered', status: response.status, body: readJson(await response.text()) }
  } catch (error) {
    // The name says enough; the text may quote the address.
    return { kind: 'unanswered', reason: error instanceof Error ? error.name : 'unknown' }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON: the status alone says what came of it
  }
}
