import { connectDatabase } from '#server/database/connect.ts'
import { readConfig } from '#server/config/config.ts'
import { encryptionPlugin } from '#server/config/data-keys.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { chooseMessengers } from '#server/integrations/choose-messengers.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * A child process that a test starts and may kill. Its argument is JSON: the environment of the server, and `NOW`, the
 * time of its clock. Runs some jobs of the server once: deletions and their warnings, reminders, then sending
 * until no message is due. At the end prints `done`.
 */
const { NOW, ...env }: Record<string, string> = JSON.parse(process.argv[2] ?? '{}')
const reading = readConfig(env)
if (reading.kind === 'faults') throw new Error(reading.faults.join('\n'))
const { config } = reading
const { db, close } = await connectDatabase({ ...config, poolSize: 3 })
const secrets = await loadSecrets(db, config)
const clock = { now: () => new Date(NOW ?? '') }
const logger = {
  info: ignore,
  warn: ignore,
  error: (...details: unknown[]) => process.stderr.write(`${JSON.stringify(details)}\n`),
}
// The jobs use only these services.
const services = {
  db: db.withPlugin(encryptionPlugin(secrets.dataKeys)),
  config,
  clock,
  logger,
  secrets,
} as unknown as Services
// Messages of a channel without a gateway go to a folder; this process does not print them.
const messengers = chooseMessengers(config, clock, ignore)
await deleteDue(services)
await remindDue(services)
while ((await deliverDue(services, messengers)) > 0);
await close()
// Ends the process, because the connections to the mail server stay open.
process.stdout.write('done\n', () => process.exit(0))

function ignore(): void {}
