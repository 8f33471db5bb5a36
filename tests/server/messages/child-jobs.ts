import { connectDatabase } from '#server/database/connect.ts'
import { readConfig } from '#server/config/config.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { chooseMessengers } from '#server/integrations/choose-messengers.ts'
import type { Services } from '#server/calls/services.ts'

/** Runs the server's jobs at the given time until nothing is due: warnings, reminders, sending. Then prints that. */
const { NOW, ...env }: Record<string, string> = JSON.parse(process.argv[2] ?? '{}')
const read = readConfig(env)
if (read.kind === 'faults') throw new Error(read.faults.join('\n'))
const { config } = read
const { db, close } = await connectDatabase({ ...config, poolSize: 3 })
const clock = { now: () => new Date(NOW ?? '') }
const logger = {
  info: ignore,
  warn: ignore,
  error: (...said: unknown[]) => process.stderr.write(`${JSON.stringify(said)}\n`),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs use nothing else
const services = { db, config, clock, logger } as unknown as Services
const messengers = chooseMessengers(config, clock, ignore)
await deleteDue(services)
await remindDue(services)
while ((await deliverDue(services, messengers)) > 0);
await close()
// Ends the process, because the connections to the mail server stay open.
process.stdout.write('done\n', () => process.exit(0))

function ignore(): void {}
