import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Messenger, OutgoingMessage } from './messenger.ts'

/**
 * Stands in for a gateway: one JSON file per message (D3). A file appears whole, under a name that sorts by time.
 * `tell` is told of each, for the demo's terminal.
 */
export function createFolderMessenger(settings: {
  folder: string
  now: () => Date
  tell?: (message: OutgoingMessage) => void
}): Messenger {
  return {
    async send(message) {
      const at = settings.now().toISOString()
      const name = `${at.replace(/[:.]/g, '-')}-${message.kind}-${randomUUID().slice(0, 8)}`
      await mkdir(settings.folder, { recursive: true, mode: 0o700 })
      const unfinished = join(settings.folder, `.${name}.unfinished`)
      await writeFile(unfinished, `${JSON.stringify(toFile(message, at), null, 2)}\n`, { mode: 0o600 })
      await rename(unfinished, join(settings.folder, `${name}.json`))
      settings.tell?.(message)
      return { kind: 'sent' }
    },
  }
}

function toFile(
  { to, channel, kind, subject, text, code, attachments }: OutgoingMessage,
  at: string,
): object {
  return {
    to,
    channel,
    kind,
    subject,
    text,
    ...(code ? { code } : {}),
    ...(attachments ? { attachments } : {}),
    at,
  }
}
