/** A file that goes with an e-mail; its content in base64, because it waits in a table. */
export type Attachment = { name: string; type: string; base64: string }

/** One message to one person. `key` is the same for every try, so that a gateway can tell a repeat. */
export type OutgoingMessage = {
  key: string
  channel: 'sms' | 'email'
  kind: string
  to: string
  subject: string
  text: string
  code?: string
  attachments?: Attachment[]
}

/** `sent` means taken; a gateway that reports later names itself and the message. */
export type SendResult =
  | { kind: 'sent'; provider?: string; reference?: string }
  | { kind: 'failed'; reason: string }

/** A way to reach people. An expected failure (gateway down, number refused) is a value; a bug throws. */
export type Messenger = { send(message: OutgoingMessage): Promise<SendResult> }

export type Messengers = Record<OutgoingMessage['channel'], Messenger>
