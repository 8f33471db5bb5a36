import * as z from 'zod/mini'
import { type FakeServiceRequest, type FakeService, startFakeHttpService } from './fake-services.ts'

type AcceptedSms = { to: string; text: string; sender: string; reference: string }
type Answer = { status?: number; body?: string }

/** Simulators of the SMS gateways, after their documentation. */
export type SmsSimulator = FakeService & {
  url: string
  accepted: AcceptedSms[]
  /** All requests, including refused ones. */
  requests: FakeServiceRequest[]
  /** How the simulator responds to the next messages. */
  behaviour: 'normal' | 'broken' | 'refuses'
  /** Called when the simulator has accepted a message and not responded yet. */
  onAccepted(): void
}

export type OrangeSimulator = SmsSimulator & {
  /** The tokens issued so far, oldest first. */
  tokens: string[]
  /** Revokes the current token early. */
  revoke(): void
}

const OrangeRequest = z.object({
  outboundSMSMessageRequest: z.object({
    address: z.string().check(z.regex(/^tel:\+\d+$/)),
    senderAddress: z.string().check(z.regex(/^tel:\+\d+$/)),
    senderName: z.optional(z.string()),
    outboundSMSTextMessage: z.object({ message: z.string() }),
  }),
})

/** Orange: a token for client credentials, then one request for each message to the URL of the sender. */
export async function startOrangeSimulator(account: {
  clientId: string
  clientSecret: string
  sender: string
}): Promise<OrangeSimulator> {
  const tokens: string[] = []
  let valid: string | undefined

  function giveToken({ headers, body }: FakeServiceRequest): Answer {
    const credentials = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${credentials}` || body !== 'grant_type=client_credentials')
      return { status: 401, body: json({ error: 'invalid_client' }) }
    valid = `token-${tokens.length + 1}`
    tokens.push(valid)
    return { body: json({ token_type: 'Bearer', access_token: valid, expires_in: '3600' }) }
  }

  function acceptMessage({ headers, body }: FakeServiceRequest): Answer {
    if (valid === undefined || headers.authorization !== `Bearer ${valid}`)
      return { status: 401, body: json({ code: 42, message: 'Expired credentials' }) }
    const read = OrangeRequest.safeParse(JSON.parse(body)).data?.outboundSMSMessageRequest
    if (simulator.behaviour === 'broken') return { status: 503 }
    if (!read || read.senderAddress !== `tel:+${account.sender}` || simulator.behaviour === 'refuses')
      return { status: 400, body: json({ requestError: { policyException: { messageId: 'POL0001' } } }) }
    const reference = `orange-${simulator.accepted.length + 1}`
    const { address, senderName = '', outboundSMSTextMessage } = read
    simulator.accepted.push({
      to: address.slice(5),
      text: outboundSMSTextMessage.message,
      sender: senderName,
      reference,
    })
    simulator.onAccepted()
    return {
      status: 201,
      body: json({
        outboundSMSMessageRequest: { ...read, resourceURL: `${simulator.url}${path}/${reference}` },
      }),
    }
  }

  const path = `/smsmessaging/v1/outbound/tel%3A%2B${account.sender}/requests`
  const simulator: OrangeSimulator = Object.assign(
    await startSimulator(request => {
      if (request.url === '/oauth/v3/token') return giveToken(request)
      return request.url === path ? acceptMessage(request) : { status: 404 }
    }),
    {
      tokens,
      revoke() {
        valid = undefined
      },
    },
  )
  return simulator
}

const InfobipRequest = z.object({
  messages: z.array(
    z.object({
      sender: z.string(),
      destinations: z.array(z.object({ to: z.string().check(z.regex(/^\d+$/)), messageId: z.string() })),
      content: z.object({ text: z.string() }),
      webhooks: z.optional(z.object({ delivery: z.object({ url: z.url() }) })),
    }),
  ),
})

/** `refusal`: the name of the status with which it refuses messages. */
type InfobipSimulator = SmsSimulator & { reportsTo: string[]; refusal: string }

/** Infobip version 3: an API key, a list of messages, and a response that accepts them without an outcome. */
export async function startInfobipSimulator(key: string): Promise<InfobipSimulator> {
  const reportsTo: string[] = []
  const answer = (request: FakeServiceRequest): Answer => {
    if (request.url !== '/sms/3/messages') return { status: 404 }
    if (request.headers.authorization !== `App ${key}`) return { status: 401 }
    if (simulator.behaviour === 'broken') return { status: 500 }
    const [message] = InfobipRequest.safeParse(JSON.parse(request.body)).data?.messages ?? []
    const [destination] = message?.destinations ?? []
    if (!message || !destination) return { status: 400 }
    const refused = simulator.behaviour === 'refuses'
    if (!refused) {
      simulator.accepted.push({
        to: destination.to,
        text: message.content.text,
        sender: message.sender,
        reference: destination.messageId,
      })
      simulator.onAccepted()
    }
    if (message.webhooks) reportsTo.push(message.webhooks.delivery.url)
    const status = refused
      ? { groupId: 5, groupName: 'REJECTED', name: simulator.refusal }
      : { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED' }
    return {
      body: json({
        bulkId: 'bulk',
        messages: [{ messageId: destination.messageId, destination: destination.to, status }],
      }),
    }
  }
  const simulator: InfobipSimulator = Object.assign(await startSimulator(answer), {
    reportsTo,
    refusal: 'REJECTED_NETWORK',
  })
  return simulator
}

export function orangeReport(reference: string, deliveryStatus: string): object {
  return {
    deliveryInfoNotification: {
      callbackData: reference,
      deliveryInfo: { address: 'tel:+237670000001', deliveryStatus },
    },
  }
}

export function infobipReport(messageId: string, groupName: string, name: string): object {
  return {
    results: [{ bulkId: 'bulk', messageId, to: '237670000001', status: { groupName, name }, smsCount: 1 }],
  }
}

async function startSimulator(answer: (request: FakeServiceRequest) => Answer): Promise<SmsSimulator> {
  const requests: FakeServiceRequest[] = []
  const fakeService = await startFakeHttpService(each => {
    requests.push(each)
    return answer(each)
  })
  const url = `http://127.0.0.1:${fakeService.port}`
  return { ...fakeService, url, accepted: [], requests, behaviour: 'normal', onAccepted: () => undefined }
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
