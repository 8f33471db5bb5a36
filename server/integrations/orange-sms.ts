import * as z from 'zod/mini'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { failureOfStatus, type Messenger, type SendResult } from './messenger.ts'
import { createTokenCache } from './token-cache.ts'

export type OrangeSettings = {
  url: string
  clientId: string
  clientSecret: string
  /** The sender's number: digits with the country code. */
  sender: string
  /** A sender name that Orange has approved; phones show it instead of the number. */
  senderName: string
}

const SendResponse = z.object({ outboundSMSMessageRequest: z.object({ resourceURL: z.string() }) })

/**
 * Orange's SMS API for Africa and the Middle East: a token for an hour, one request per message. The API has no
 * idempotency key. If the answer to an SMS is lost, or the process stops while it sends an SMS, the applicant may get it twice.
 */
export function createOrangeSms(settings: OrangeSettings, now: () => Date): Messenger {
  const withToken = createTokenCache(now, () => requestToken(settings))
  return {
    send: async message => toResult(await withToken(token => post(settings, token, message))),
  }
}

function requestToken({ url, clientId, clientSecret }: OrangeSettings): Promise<GatewayResponse> {
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

/**
 * The last part of the resource URL is the reference that the delivery report contains. `unanswered`: no response, or
 * no token. The outbox retries a failed message until `give_up_at`.
 */
function toResult(answer: GatewayResponse): SendResult {
  if (answer.kind === 'unanswered') return { kind: 'failed', reason: `orange ${answer.reason}` }
  if (answer.status !== 201) return failureOfStatus(`orange status ${answer.status}`, answer.status)
  const resource = SendResponse.safeParse(answer.body).data?.outboundSMSMessageRequest.resourceURL
  const reference = resource?.split('/').at(-1)
  return { kind: 'sent', provider: 'orange', ...(reference ? { reference } : {}) }
}
