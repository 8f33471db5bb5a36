import { setTimeout as pause } from 'node:timers/promises'
import { closeOnSignal } from '#server/start/close-on-signal.ts'

/**
 * A child process with a server whose close takes half a second, as while it completes requests. Prints what it does.
 */
const print = (line: string) => process.stdout.write(`${line}\n`)

closeOnSignal(
  {
    async close() {
      print('closing')
      await pause(500)
      print('closed')
    },
  },
  error => print(String(error)),
)
setInterval(() => undefined, 1_000) // keeps the process running, as an open socket does
print('ready')
