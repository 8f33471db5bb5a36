import { AsyncLocalStorage } from 'node:async_hooks'

/** A call that counts as load of this process, except while it waits for something outside (D92). */
export type CountedCall = { startWait(): void; endWait(): void }

const currentCall = new AsyncLocalStorage<CountedCall>()

/** Runs the work of a call. In this work `waitOutside` finds the call without an argument. */
export function runCounted(call: CountedCall, work: () => void): void {
  currentCall.run(call, work)
}

/**
 * Waits for something outside this thread: a payment provider, a payer, the worker thread that draws PDFs. During the wait
 * the call does not count as load, so that a process does not refuse calls because a provider is slow. Without a call,
 * for example in a job, it only waits.
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
