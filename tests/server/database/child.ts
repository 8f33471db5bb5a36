import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** A server process of its own, that can be killed. */
export type ChildProcessHandle = {
  /** The next line it writes; undefined when it has ended. */
  nextLine: () => Promise<string | undefined>
  /** As a power button would: no chance to tidy up. */
  kill: () => Promise<void>
}

/** Node 20 runs no TypeScript, so Vite builds one of the modules beside this file; `start` runs it as often as wanted, each time with one argument. */
export async function bundleChild(module: string) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  // Below the packages' folder, where Node finds those that stay outside of the bundle.
  const outDir = mkdtempSync(join(root, 'node_modules/.child-'))
  const entry = fileURLToPath(new URL(module, import.meta.url))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: entry,
      outDir,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  })
  const file = join(outDir, basename(module).replace(/\.ts$/, '.mjs'))
  return {
    start: (argument: string) => runChild([file, argument]),
    remove: () => rmSync(outDir, { recursive: true }),
  }
}

function runChild(command: string[]): ChildProcessHandle {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    nextLine: async () => (await lines.next()).value,
    kill: () => kill(child),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
