import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Messenger, OutgoingMessage } from './messenger.ts'

/**
 * Writes each message to a JSON file; no gateway sends it (D3). The file is renamed when it is complete. Its name sorts
 * by time and ends with a hash of the key, so a message that is sent again after a crash is not written twice.
 * `onWritten` gets each new message, for the demo's terminal.
 */
export function createFolderMessenger(settings: {
  folder: string
  now: () => Date
  onWritten?: (message: OutgoingMessage) => void
}): Messenger {
  return {
    async send(message) {
      const at = settings.now().toISOString()
      const ending = createHash('sha256').update(message.key).digest('hex').slice(0, 16)
      const name = `${at.replace(/[:.]/g, '-')}-${message.kind}-${ending}`
      await mkdir(settings.folder, { recursive: true, mode: 0o700 })
      const usedNames = await readdir(settings.folder)
      if (usedNames.some(file => file.endsWith(`-${ending}.json`))) return { kind: 'sent' }
      const temporaryPath = join(settings.folder, `.${name}.unfinished`)
      await writeFile(temporaryPath, `${JSON.stringify(toFile(message, at), null, 2)}\n`, { mode: 0o600 })
      await rename(temporaryPath, join(settings.folder, `${name}.json`))
      settings.onWritten?.(message)
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
