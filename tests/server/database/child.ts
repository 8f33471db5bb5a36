import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server process of its own, that can be killed. It runs one of the modules beside this file. */
export type Child = {
  /** The next line it writes; undefined when it has ended. */
  nextLine: () => Promise<string | undefined>
  /** As a power button would: no chance to tidy up. */
  kill: () => Promise<void>
}

export function startChild(module: string, folder: string): Child {
  const path = new URL(module, import.meta.url).pathname
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, path, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    nextLine: async () => (await lines.next()).value,
    kill: () => kill(child),
  }
}

/** Node 20 does not run TypeScript; Vite, which builds the server, does. */
const RUN = `
  import { runnerImport } from 'vite'
  await runnerImport(process.argv[1], { configFile: false, logLevel: 'silent' })
`

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
