import type { IncomingMessage, ServerResponse } from 'node:http'
import { readConfig } from '#server/config/config.ts'
import { createLogger } from '#server/monitoring/logger.ts'
import { openServer } from './open-server.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'

export type DevelopmentServer = {
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/**
 * Opens the API without a socket, for Vite's server. Without LOG_LEVEL, requests are not logged, so that the printed
 * SMS and e-mails are easy to find in Vite's terminal.
 *
 * @throws when the environment has faults, and as `openServer`.
 */
export async function openDevelopmentServer(): Promise<DevelopmentServer> {
  const read = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  if (read.kind === 'faults') throw new Error(read.faults.join('\n'))
  const { config } = read
  const server = await openServer({ config, logger: createLogger(config), printMessage })
  try {
    await server.app.ready()
  } catch (error) {
    await server.close()
    throw error
  }
  return {
    handle: (request, response) => server.app.routing(request, response),
    close: () => server.close(),
  }
}

/** Prints a message that was written to the folder because its channel has no gateway (D3). */
function printMessage({ channel, to, text }: OutgoingMessage): void {
  process.stdout.write(`\n── ${channel} to ${to} ──\n${text.trim()}\n\n`)
}
