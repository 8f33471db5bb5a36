import type { RawBuilder } from 'kysely'
import * as z from 'zod/mini'
import { fromStored, underNewestKey, type WithDataKeys } from '#server/config/data-keys.ts'
import { isSealed, type SealedPlace } from '#server/crypto/sealed-values.ts'
import { sealedJsonValues } from '#server/database/contact-values.ts'
import type { Attachment } from '#server/integrations/messenger.ts'

/**
 * What the outbox stores of a message until it is sent. It can have a secret: a code, or the link that undoes a change.
 */
export type MessageContent = {
  subject: string
  text: string
  code?: string
  attachments?: Attachment[]
  /** Id of the application whose receipt is printed and attached when the message is sent. */
  receiptOf?: string
}

/**
 * `key`: names the message in the outbox. `content`: undefined when the message is not to be sent.
 * `uselessAfterSeconds`: this long after the creation of its row the message no longer helps its receiver, so it is not
 * sent any more. The number is not encrypted, because SQL reads it.
 */
type ToStore = { key: string; content: MessageContent | undefined; uselessAfterSeconds: number | undefined }

/** The column `message` of rows of the outbox: the content is encrypted once the encryption has started (D71). */
export function messageValues(all: readonly ToStore[]): RawBuilder<string[]> {
  return sealedJsonValues(seal =>
    all.map(({ key, content, uselessAfterSeconds }) => {
      if (content === undefined) return JSON.stringify({})
      const stored = seal(placeOf(key), JSON.stringify(content))
      return JSON.stringify({ ...(isSealed(stored) ? { sealed: stored } : content), uselessAfterSeconds })
    }),
  )
}

type MessageRow = { key: string; message: Record<string, unknown> }

/** Decrypts the content of a message. Content from before the start of the encryption may be plain (D71). */
export function decryptMessage(keys: WithDataKeys, { key, message }: MessageRow): Record<string, unknown> {
  const { sealed, ...plain } = message
  if (typeof sealed !== 'string') return message
  return { ...Content.parse(JSON.parse(fromStored(keys, placeOf(key), sealed))), ...plain }
}

/** Returns the column encrypted under the operator's newest key; undefined when it already is, or was emptied. */
export function messageUnderNewestKey(
  keys: WithDataKeys,
  { key, message }: MessageRow,
): { message: string } | undefined {
  const { sealed, uselessAfterSeconds, ...content } = message
  const isEmpty = Object.keys(content).length === 0
  const plain = isEmpty ? '' : JSON.stringify(content)
  const newest = underNewestKey(keys, placeOf(key), typeof sealed === 'string' ? sealed : plain)
  return newest === undefined
    ? undefined
    : { message: JSON.stringify({ sealed: newest, uselessAfterSeconds }) }
}

/** Binds the text to the key of the message, because the row has no id yet when the text is encrypted. */
const placeOf = (key: string): SealedPlace => ({ column: 'outbox.message', row: key })

const Content = z.record(z.string(), z.unknown())
