import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#support/servers/free-port.ts'
import { cpuOf } from './linux-processes.ts'
import { hasEnded, stopProcess } from './stop-process.ts'

export type BenchServer = {
  origin: string
  /** Time from the start of the process to the first response 200 of /health. */
  readyAfterSeconds: number
  /** Memory of the process in RAM now (VmRSS). @throws when the process has ended */
  residentMiB(): number
  /** CPU time of the process since its start; 0 when it has ended. */
  cpuMicroseconds: () => number
  /** Collects the garbage of the process. @throws when it was started without `probe`, or has ended */
  collectGarbage: () => Promise<CollectedMemory>
  /** Sends SIGTERM. Resolves when the process has ended, also when it ended before. */
  stop(): Promise<void>
}

/**
 * The memory that a process uses, in bytes. `residentBefore`: its RAM before a full garbage collection. `workerHeap`:
 * the heap that the worker thread for PDF files reported last, after a collection of its own; 0 before its first
 * report. `after`: its `process.memoryUsage()` after the collection.
 */
type CollectedMemory = { residentBefore: number; workerHeap: number; after: NodeJS.MemoryUsage }

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Without the optimising compilers of V8: they still compile functions after half an hour, and their code is in the
 * heap, where it hides what the server itself keeps.
 */
const withoutOptimising = ['--no-opt', '--no-maglev']

const probeOptions = [
  ...withoutOptimising,
  '--expose-gc',
  '--import',
  new URL('memory-probe.mjs', import.meta.url).href,
]

/**
 * Builds the portal and the server, unless `dist` has these sources. Blocks until the end.
 *
 * @throws when the build fails
 */
export function buildServer(): void {
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}

/** Creates an empty temporary folder. `remove` deletes the folder with its content. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Starts the built server in its own process, with the script of `npm start`, and waits until it is healthy.
 * `environment` adds to the environment variables of this process, or replaces them. `probe`: the process can collect
 * its garbage, and its functions are not optimised.
 *
 * @throws when the server ends before it is healthy
 */
export async function startServer(
  environment: Record<string, string>,
  { probe = false } = {},
): Promise<BenchServer> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const startMs = performance.now()
  const child = spawn(
    process.execPath,
    [...(probe ? probeOptions : []), join(root, 'server/start/start.mjs')],
    {
      cwd: root,
      env: { ...process.env, LOG_LEVEL: 'warn', PORT: String(port), PUBLIC_ORIGIN: origin, ...environment },
      stdio: ['ignore', 'ignore', 'inherit', ...(probe ? (['ipc'] as const) : [])],
    },
  )
  while (!(await isHealthy(origin))) {
    if (hasEnded(child)) throw new Error('The server did not start')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return {
    origin,
    readyAfterSeconds: (performance.now() - startMs) / 1_000,
    residentMiB: () => readResident(child),
    cpuMicroseconds: () => cpuOf(child.pid ?? 0),
    collectGarbage: () => collectGarbage(child),
    stop: () => stopProcess(child),
  }
}

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`)).ok
  } catch {
    return false // The server is not listening yet.
  }
}

function readResident({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}

/** @throws when the process ends before it answers */
function collectGarbage(child: ChildProcess): Promise<CollectedMemory> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('The server has ended'))
    child.once('exit', fail)
    child.once('message', answer => {
      child.off('exit', fail)
      resolve(answer as CollectedMemory) // what memory-probe.mjs sends
    })
    child.send('collect', error => error && reject(error))
  })
}
