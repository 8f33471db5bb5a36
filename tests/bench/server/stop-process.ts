import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A process that a signal has ended has no exit code. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Sends SIGTERM. Resolves when the process has ended, also when it ended before. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
