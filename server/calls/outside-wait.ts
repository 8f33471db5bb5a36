import { AsyncLocalStorage } from 'node:async_hooks'

/** A call that counts as load of this process, except while it waits for something outside (D92). */
export type CountedCall = { startWait(): void; endWait(): void }

const currentCall = new AsyncLocalStorage<CountedCall>()

/** Runs the work of a call, so that `waitOutside` finds the call from anywhere in this work. */
export function runCounted(call: CountedCall, work: () => void): void {
  currentCall.run(call, work)
}

/**
 * Waits for something outside this thread: a payment operator, a payer, the worker that draws files. During the wait the call
 * does not count as load, so that a slow operator makes the process refuse nobody. Outside a call it only waits.
 */
export async function waitOutside<Result>(wait: () => Promise<Result>): Promise<Result> {
  const call = currentCall.getStore()
  call?.startWait()
  try {
    return await wait()
  } finally {
    call?.endWait()
  }
}
