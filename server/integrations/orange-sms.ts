import * as z from 'zod/mini'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import type { Messenger, SendResult } from './messenger.ts'

export type OrangeSettings = {
  url: string
  clientId: string
  clientSecret: string
  /** The sender's number: digits with the country code. */
  sender: string
  /** A sender name that Orange has approved; phones show it instead of the number. */
  senderName: string
}

const Token = z.object({ access_token: z.string(), expires_in: z.coerce.number() })
const SendResponse = z.object({ outboundSMSMessageRequest: z.object({ resourceURL: z.string() }) })

/** The server requests a new token this long before the old one expires. */
const marginSeconds = 60

/**
 * Orange's SMS API for Africa and the Middle East: a token for an hour, one request per message. The API has no
 * idempotency key. If the process stops while it sends an SMS, the applicant gets this SMS twice.
 */
export function createOrangeSms(settings: OrangeSettings, now: () => Date): Messenger {
  let token: { value: string; until: number } | undefined

  async function findToken(): Promise<string | undefined> {
    if (token && token.until > now().getTime()) return token.value
    const answer = await askForToken(settings)
    const response = answer.kind === 'answered' ? Token.safeParse(answer.body).data : undefined
    token = response && {
      value: response.access_token,
      until: now().getTime() + (response.expires_in - marginSeconds) * 1_000,
    }
    return token?.value
  }

  return {
    async send(message) {
      const first = await findToken()
      if (first === undefined) return { kind: 'failed', reason: 'orange gives no token' }
      const answer = await post(settings, first, message)
      if (answer.kind !== 'answered' || answer.status !== 401) return toResult(answer)
      // Orange revoked the token before it expired: retry once with a new token.
      token = undefined
      const second = await findToken()
      return second === undefined
        ? { kind: 'failed', reason: 'orange gives no token' }
        : toResult(await post(settings, second, message))
    },
  }
}

function askForToken({ url, clientId, clientSecret }: OrangeSettings): Promise<GatewayResponse> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  return requestGateway(`${url}/oauth/v3/token`, {
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: 'grant_type=client_credentials',
  })
}

function post(
  { url, sender, senderName }: OrangeSettings,
  token: string,
  { to, text }: { to: string; text: string },
): Promise<GatewayResponse> {
  const from = `tel:+${sender}`
  return requestGateway(`${url}/smsmessaging/v1/outbound/${encodeURIComponent(from)}/requests`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      outboundSMSMessageRequest: {
        address: `tel:+${to}`,
        senderAddress: from,
        ...(senderName === '' ? {} : { senderName }),
        outboundSMSTextMessage: { message: text },
      },
    }),
  })
}

/** The last part of the resource URL is the reference that the delivery report contains. */
function toResult(answer: GatewayResponse): SendResult {
  if (answer.kind === 'unanswered') return { kind: 'failed', reason: `orange ${answer.reason}` }
  if (answer.status !== 201) return { kind: 'failed', reason: `orange status ${answer.status}` }
  const resource = SendResponse.safeParse(answer.body).data?.outboundSMSMessageRequest.resourceURL
  const reference = resource?.split('/').at(-1)
  return { kind: 'sent', provider: 'orange', ...(reference ? { reference } : {}) }
}
