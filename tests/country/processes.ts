import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hasEnded, stopChild } from '#support/servers/child-process.ts'
import { freePort } from '#support/servers/free-port.ts'
import { until } from '#support/servers/portal.ts'

/** One process of the server behind nginx. It keeps its port over restarts, as a unit of systemd does. */
export type ServerProcess = {
  port: number
  /** Undefined while it is stopped. */
  pid(): number | undefined
  /** All lines that it has printed. */
  log(): string
  /**
   * If it is stopped, starts it and waits until `/ready` answers 200, as docs/deploy.md says. `folder`: the checkout
   * with the build to run; this one by default.
   *
   * @throws when it ends, or is not ready after four minutes
   */
  start(folder?: string): Promise<void>
  /** Sends a signal and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Sends a signal such as SIGSTOP and does not wait. */
  signal(signal: NodeJS.Signals): void
  health(): Promise<HealthAnswer>
  /**
   * How many requests it has answered since its start, without those with a status of 500 or more. Undefined: it does not
   * answer this question.
   */
  countAnswers(): Promise<number | undefined>
}

type HealthAnswer = { isOk: boolean; milliseconds: number }

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a process that is not running yet. It reads `shared`, the settings of all processes, at each start. */
export async function createProcess(
  shared: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const port = await freePort()
  const metricsPort = await freePort()
  let child: ChildProcess | undefined
  let log = ''

  const isRunning = () => child !== undefined && !hasEnded(child)

  async function start(folder = root): Promise<void> {
    if (isRunning()) return
    const logStart = log.length
    const started = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], {
      cwd: folder,
      env: { ...process.env, ...shared, ...own, PORT: String(port), METRICS_PORT: String(metricsPort) },
    })
    child = started
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text: Buffer) => (log += text.toString()))
    const isReady = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/ready`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(
        () => undefined, // it does not listen yet
      )
      return answer?.status === 200 || undefined
    }
    const giveUp = () => (isRunning() ? undefined : `it ended:\n${log.slice(logStart)}`)
    await until(`the server on port ${port} to be ready`, isReady, { giveUp })
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child) await stopChild(child, signal)
  }

  return {
    port,
    pid: () => (isRunning() ? child?.pid : undefined),
    log: () => log,
    start,
    stop,
    signal: name => void child?.kill(name),
    health: () => askHealth(port),
    countAnswers: () => countAnswers(metricsPort),
  }
}

async function askHealth(port: number): Promise<HealthAnswer> {
  const startMs = performance.now()
  try {
    const { ok } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(5_000) })
    return { isOk: ok, milliseconds: performance.now() - startMs }
  } catch {
    return { isOk: false, milliseconds: performance.now() - startMs }
  }
}

async function countAnswers(metricsPort: number): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, {
      signal: AbortSignal.timeout(2_000),
    })
    const lines = (await answer.text()).matchAll(
      /^http_request_seconds_count\{.*status="[1-4]\d\d".*\} (\d+)$/gm,
    )
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
  } catch {
    return undefined
  }
}
