import * as z from 'zod/mini'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { failureOfStatus, type Messenger, type SendResult } from './messenger.ts'

export type InfobipSettings = {
  url: string
  key: string
  sender: string
  /** The address for delivery reports; undefined when reports are off. */
  reportUrl: string | undefined
}

const SendResponse = z.object({
  messages: z.array(
    z.object({ messageId: z.string(), status: z.object({ groupName: z.string(), name: z.string() }) }),
  ),
})

const refused = ['REJECTED', 'UNDELIVERABLE', 'EXPIRED']

/**
 * Statuses that refuse every message, whatever its number is: the account has no credit or no route, or may send to a
 * test number only; its sender is not allowed; or Infobip has a fault.
 */
const refusesAll = [
  'REJECTED_NOT_ENOUGH_CREDITS',
  'REJECTED_PREPAID_PACKAGE_EXPIRED',
  'REJECTED_ROUTE_NOT_AVAILABLE',
  'REJECTED_DESTINATION_NOT_REGISTERED',
  'REJECTED_SOURCE',
  'REJECTED_SENDER',
  'REJECTED_SYSTEM_ERROR',
]

/** Infobip's SMS API, version 3. The message's key is also its id at Infobip, so that Infobip can recognise a repeat. */
export function createInfobipSms(settings: InfobipSettings): Messenger {
  const { url, key, sender, reportUrl } = settings
  return {
    async send(message) {
      const answer = await requestGateway(`${url}/sms/3/messages`, {
        headers: {
          authorization: `App ${key}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({
          messages: [
            {
              sender,
              destinations: [{ to: message.to, messageId: message.key }],
              content: { text: message.text },
              ...(reportUrl === undefined ? {} : { webhooks: { delivery: { url: reportUrl } } }),
            },
          ],
        }),
      })
      return toResult(answer)
    },
  }
}

/** Reads the outcome from the body too: a response with status 200 may still refuse the message. */
function toResult(answer: GatewayResponse): SendResult {
  if (answer.kind === 'unanswered') return { kind: 'failed', reason: `infobip ${answer.reason}` }
  if (answer.status !== 200) return failureOfStatus(`infobip status ${answer.status}`, answer.status)
  const [message] = SendResponse.safeParse(answer.body).data?.messages ?? []
  if (!message) return { kind: 'failed', reason: 'infobip response without the message' }
  const { groupName, name } = message.status
  if (!refused.includes(groupName)) return { kind: 'sent', provider: 'infobip', reference: message.messageId }
  const reason = `infobip ${name}`
  return refusesAll.includes(name)
    ? { kind: 'failed', reason }
    : { kind: 'failed', reason, isMessageRefused: true }
}
