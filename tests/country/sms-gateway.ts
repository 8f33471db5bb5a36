import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An SMS gateway over HTTP that remembers the last code of each phone. */
export type SmsGateway = {
  url: string
  /** By phone number, as digits with the country code. */
  codes: Map<string, string>
  /** The phone numbers to which any message went, as digits with the country code. */
  recipients: Set<string>
  /** The idempotency keys of the messages that it has accepted, with how often each came. */
  accepted: Map<string, number>
  /** True: it accepts connections and never answers. False: it closes these connections, and answers new ones. */
  hang(isHanging: boolean): void
  close(): void
}

export async function openSmsGateway(): Promise<SmsGateway> {
  const codes = new Map<string, string>()
  const recipients = new Set<string>()
  const accepted = new Map<string, number>()
  let isHanging = false
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      if (isHanging) return
      const { to, text, key } = JSON.parse(body) as { to: string; text: string; key: string } // as `smsBody` below says
      accepted.set(key, (accepted.get(key) ?? 0) + 1)
      recipients.add(to.replace('+', ''))
      const code = /\b\d{6}\b/.exec(text)?.[0]
      if (code !== undefined) codes.set(to.replace('+', ''), code)
      response.end('{}')
    })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    codes,
    recipients,
    accepted,
    hang(hanging) {
      isHanging = hanging
      if (!hanging) server.closeAllConnections()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const smsBody = '{"to":"{to}","text":"{text}","key":"{key}"}'
