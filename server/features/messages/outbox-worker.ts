import { setTimeout as pause } from 'node:timers/promises'
import type { Messengers } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { deliverDue } from './outbox.ts'

export type OutboxWorker = {
  /** Something may have been put in: look now, not at the next round. */
  wake(): void
  /** Ends after what is being sent. */
  stop(): Promise<void>
}

const pollIntervalMs = 2_000
/** However many write at once, looking for what they have put in must not become the server's main work. */
const roundPauseMs = 50

/** Looks for due messages after every write and every few seconds; one round at a time. */
export function startOutboxWorker(services: Services, messengers: Messengers): OutboxWorker {
  let round: Promise<void> | undefined
  let again = false
  let stopped = false

  async function deliverAll(): Promise<void> {
    try {
      while (again) {
        again = false
        while ((await deliverDue(services, messengers)) > 0);
        if (again) await pause(roundPauseMs)
      }
    } catch (error) {
      again = false // the timer tries again
      services.logger.error({ err: error }, 'outbox round failed')
    }
  }

  function wake(): void {
    if (stopped) return
    again = true
    round ??= deliverAll().finally(() => {
      round = undefined
      if (again) wake() // what came while this round was ending
    })
  }

  const timer = setInterval(wake, pollIntervalMs)
  timer.unref()
  wake()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(timer)
      await round
    },
  }
}
