import { createTransport } from 'nodemailer'
import * as z from 'zod/mini'
import type { Messenger, SendResult } from './messenger.ts'

/** As many messages as the outbox sends at the same time, so that none waits in the pool while its claim expires. */
const maxConnections = 9

/**
 * How long one mail may take, with the connection: a server that sends its replies a little at a time never reaches the
 * timeouts of the connection. The first server and the fallback together take less than `claimSeconds` of the outbox.
 */
export const mailTimeoutMs = 25_000

type SmtpSettings = {
  url: string
  from: string
  /** True: the password and the mails are only sent over TLS. False: TLS is used where the mail server offers it. */
  needsTls: boolean
  timeoutMs?: number
}

/**
 * Sends e-mail over SMTP. The outbox key becomes the Message-ID, so that a mail program can recognise a message that was
 * sent twice.
 */
export function createSmtpMessenger(settings: SmtpSettings, now: () => Date): Messenger {
  const connectionTimeoutsMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
  const { url, needsTls: requireTLS, timeoutMs = mailTimeoutMs } = settings
  const transport = createTransport({ url, requireTLS, pool: true, maxConnections, ...connectionTimeoutsMs })
  const domain = /@([\w.-]+)/.exec(settings.from)?.[1] ?? 'localhost'
  return {
    async send({ key, to, subject, text, attachments = [] }) {
      try {
        await transport.sendMail({
          from: settings.from,
          to: { name: '', address: to },
          subject,
          text,
          date: now(),
          signal: AbortSignal.timeout(timeoutMs),
          messageId: `<${key.replace(/[^\w.-]/g, '-')}@${domain}>`,
          attachments: attachments.map(({ name, type, base64 }) => ({
            filename: name,
            contentType: type,
            content: Buffer.from(base64, 'base64'),
          })),
        })
        return { kind: 'sent' }
      } catch (error) {
        return toFailure(error)
      }
    },
  }
}

/**
 * Three refusals are about this mail alone, and do not pause the mail of all others: the server refuses the recipient,
 * also for a time (4xx); it refuses the content for good (5xx); or Nodemailer itself refuses the mail, without a reply
 * of the server. All other refusals are failures of the mail server: of the sender, of the command `DATA`, and of the
 * content for a time, for example because the server is full.
 */
function toFailure(error: unknown): SendResult {
  const { code: reason, command, responseCode } = SmtpError.safeParse(error).data ?? { code: 'unknown' }
  const isOfRecipient = reason === 'EENVELOPE' && command === 'RCPT TO'
  const isOfContent = reason === 'EMESSAGE' && (responseCode ?? 0) >= 500
  const isWithoutReply = responseCode === undefined && (reason === 'EMESSAGE' || reason === 'EENVELOPE')
  const isMessageRefused = isWithoutReply || isOfRecipient || isOfContent
  return { kind: 'failed', reason, ...(isMessageRefused ? { isMessageRefused } : {}) }
}

/** Without the error's text, because it may contain the recipient's address. */
const SmtpError = z.object({
  code: z.string(),
  command: z.optional(z.string()),
  responseCode: z.optional(z.number()),
})
