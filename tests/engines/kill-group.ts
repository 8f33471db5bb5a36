import type { ChildProcess } from 'node:child_process'

/**
 * Ends the process group of `leader`, and resolves when `leader` has ended. Does nothing when the whole group has ended
 * before, because a browser may crash before a test kills it.
 */
export async function killGroup(leader: ChildProcess): Promise<void> {
  if (leader.pid === undefined) return
  const hasEnded = leader.exitCode !== null || leader.signalCode !== null
  const exited = hasEnded ? undefined : new Promise(resolve => leader.once('exit', resolve))
  try {
    process.kill(-leader.pid, 'SIGKILL')
  } catch (error) {
    if (!isNoSuchProcess(error)) throw error
  }
  await exited
}

function isNoSuchProcess(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH'
}
