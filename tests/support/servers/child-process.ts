import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Whether a process has ended by itself or by a signal. `exitCode` alone stays null after a signal. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Sends a signal to a process that still runs, and waits for its end. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
