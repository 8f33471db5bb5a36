import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** A server process of its own, that can be killed. It runs one of the modules beside this file. */
export type Child = {
  /** The next line it writes; undefined when it has ended. */
  nextLine: () => Promise<string | undefined>
  /** As a power button would: no chance to tidy up. */
  kill: () => Promise<void>
}

export function startChild(module: string, folder: string): Child {
  const path = new URL(module, import.meta.url).pathname
  return runChild(['--input-type=module', '-e', RUN, path, folder])
}

/** One of them for many short lives: Vite's part is done once. */
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

function runChild(command: string[]): Child {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
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
