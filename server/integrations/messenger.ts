/** A file attached to an e-mail. `base64`: its content. */
export type Attachment = { name: string; type: string; base64: string }

/** One message to one person. `key` is the same for every try, so that a gateway can recognise a repeat. */
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

/**
 * `sent` means that the gateway accepted the message, not that it arrived. A gateway that sends delivery reports later
 * returns its name and its reference of the message.
 */
export type SendResult =
  | { kind: 'sent'; provider?: string; reference?: string }
  | {
      kind: 'failed'
      reason: string
      /** The gateway works and refuses only this message, for example because of its number. */
      isMessageRefused?: true
    }

/** Sends messages to people. An expected failure (gateway down, number refused) is a value; a bug throws. */
export type Messenger = {
  send(message: OutgoingMessage): Promise<SendResult>
  /** Whether every gateway of this messenger is paused after failures. The outbox then sends it nothing, and counts no try. */
  isPaused?(): boolean
  /**
   * Whether every gateway of this messenger has failed often enough for a pause and has not worked since. Stays true
   * after the pause (`isPaused`): the outbox then sends one message at a time, to try the gateways.
   */
  isFailing?(): boolean
}

/**
 * Statuses of an HTTP response with which a gateway refuses one message. Not 404: a wrong address of the gateway gives
 * 404 for each message.
 */
const refusingStatuses = [400, 413, 422]

/** Returns the failure that a response with this status means. */
export function failureOfStatus(reason: string, status: number): SendResult {
  return {
    kind: 'failed',
    reason,
    ...(refusingStatuses.includes(status) ? { isMessageRefused: true } : {}),
  }
}

export type Messengers = Record<OutgoingMessage['channel'], Messenger>
