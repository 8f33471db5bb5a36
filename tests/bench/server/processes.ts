import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#support/servers/free-port.ts'
import { cpuOf } from './cpu.ts'

export type BenchServer = {
  origin: string
  /** Time from the start to the first 200 of /health. */
  readyAfterSeconds: number
  residentMegabytes(): number
  cpuMicroseconds: () => number
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

export function buildServer(): void {
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}

export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the built server in its own process, like `npm start`. */
export async function startServer(environment: Record<string, string>): Promise<BenchServer> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, 'server/start/start.mjs')], {
    cwd: root,
    env: { ...process.env, LOG_LEVEL: 'warn', PORT: String(port), PUBLIC_ORIGIN: origin, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!(await isHealthy(origin))) {
    if (child.exitCode !== null) throw new Error('The server did not start')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return {
    origin,
    readyAfterSeconds: (performance.now() - began) / 1_000,
    residentMegabytes: () => readResident(child),
    cpuMicroseconds: () => cpuOf(child.pid ?? 0),
    stop: () => end(child),
  }
}

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`)).ok
  } catch {
    return false // not listening yet
  }
}

function readResident({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
