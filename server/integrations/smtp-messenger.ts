import { createTransport } from 'nodemailer'
import type { Messenger, SendResult } from './messenger.ts'

/** As many messages as the outbox sends at the same time, so that none waits in the pool while its claim expires. */
const maxConnections = 9

type SmtpSettings = {
  url: string
  from: string
  /** The password and the mails are only sent over TLS. Otherwise TLS is used where the mail server offers it. */
  needsTls: boolean
}

/**
 * Sends e-mail over SMTP. The outbox key becomes the Message-ID, so that a mail program can recognise a message that was
 * sent twice.
 */
export function createSmtpMessenger(settings: SmtpSettings, now: () => Date): Messenger {
  const timeoutsMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
  const { url, needsTls: requireTLS } = settings
  const transport = createTransport({ url, requireTLS, pool: true, maxConnections, ...timeoutsMs })
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
          messageId: `<${key.replace(/[^\w.-]/g, '-')}@${domain}>`,
          attachments: attachments.map(({ name, type, base64 }) => ({
            filename: name,
            contentType: type,
            content: Buffer.from(base64, 'base64'),
          })),
        })
        return { kind: 'sent' }
      } catch (error) {
        return toFailure(errorCodeOf(error))
      }
    },
  }
}

/** `EENVELOPE`: the server refused the address; `EMESSAGE`: it refused the content. */
function toFailure(reason: string): SendResult {
  const isMessageRefused = reason === 'EENVELOPE' || reason === 'EMESSAGE'
  return { kind: 'failed', reason, ...(isMessageRefused ? { isMessageRefused } : {}) }
}

/** Returns only the error's code, because the error's text may contain the recipient's address. */
function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown'
}
