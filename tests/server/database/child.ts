import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** A separate process that a test can kill. */
export type ChildProcessHandle = {
  /** Returns the next line of its output; undefined when the process has ended. */
  nextLine: () => Promise<string | undefined>
  /** Sends a signal that the process can handle. */
  signal: (name: 'SIGTERM' | 'SIGINT') => void
  /** Sends SIGKILL, so the process cannot clean up. */
  kill: () => Promise<void>
}

/**
 * Builds a module with Vite, because Node 20 runs no TypeScript. `module` is its path relative to this file. `start`
 * runs it with one argument.
 */
export async function bundleChild(module: string) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  // Inside node_modules, where Node finds the packages that are not in the bundle.
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
    signal: name => void child.kill(name),
    kill: () => kill(child),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
