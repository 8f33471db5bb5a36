import { join } from 'node:path'
import type { Configuration } from '#server/config.ts'
import type { Clock } from '#server/services.ts'
import { createFolderMessenger } from './folder-messenger.ts'
import type { Messengers, OutgoingMessage } from './messenger.ts'
import { createSmsGateway } from './sms-gateway.ts'
import { createSmtpMessenger } from './smtp-messenger.ts'

/** A gateway where one is configured, else the folder, which only the demo may use (D2). */
export function chooseMessengers(
  config: Configuration,
  clock: Clock,
  tell: (message: OutgoingMessage) => void,
): Messengers {
  const folder = createFolderMessenger({
    folder: join(config.dataDir, 'outbox'),
    now: () => clock.now(),
    tell,
  })
  return {
    sms: config.sms.url === undefined ? folder : createSmsGateway({ ...config.sms, url: config.sms.url }),
    email:
      config.smtpUrl === undefined
        ? folder
        : createSmtpMessenger({ url: config.smtpUrl, from: config.mailFrom }),
  }
}
