import * as z from 'zod/mini'
import type { GatewayResponse } from './gateway-request.ts'

const Token = z.object({ access_token: z.string(), expires_in: z.coerce.number() })

/** The server uses a token until this long before it expires. The first request after that gets a new one. */
const marginSeconds = 60

/**
 * Returns a function that sends a request with the cached access token. If the gateway answers 401, because it revoked
 * the token early, the function gets a new token and retries the request once.
 */
export function createTokenCache(now: () => Date, requestToken: () => Promise<GatewayResponse>) {
  let token: { value: string; renewAtMs: number } | undefined

  async function findToken(): Promise<string | undefined> {
    if (token && token.renewAtMs > now().getTime()) return token.value
    const answer = await requestToken()
    const response = answer.kind === 'answered' ? Token.safeParse(answer.body).data : undefined
    token = response && {
      value: response.access_token,
      renewAtMs: now().getTime() + (response.expires_in - marginSeconds) * 1_000,
    }
    return token?.value
  }

  return async function withToken(
    send: (token: string) => Promise<GatewayResponse>,
  ): Promise<GatewayResponse> {
    const first = await findToken()
    if (first === undefined) return noToken
    const answer = await send(first)
    if (answer.kind !== 'answered' || answer.status !== 401) return answer
    token = undefined
    const second = await findToken()
    return second === undefined ? noToken : send(second)
  }
}

const noToken: GatewayResponse = { kind: 'unanswered', reason: 'gives no token' }
