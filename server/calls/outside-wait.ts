import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * A call that counts as load of this process, except while it is in `waitOutside`. At most 3,000 calls can wait there without
 * counting as load; further ones count (D92).
 */
export type CountedCall = { startWait(): void; endWait(): void }

const currentCall = new AsyncLocalStorage<CountedCall>()

/** Runs the work of a call. In this work `waitOutside` finds the call without an argument. */
export function runCounted(call: CountedCall, work: () => void): void {
  currentCall.run(call, work)
}

/**
 * Waits for something that is no work of this thread: the answer of a payment provider, the end of a payment that the
 * payer must confirm, the worker that draws PDFs. During the wait the call does not count as load, so that a process does
 * not refuse calls because a provider is slow. Without a call, for example in a job, it only waits.
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
