import { setTimeout as pause } from 'node:timers/promises'
import type { Messengers } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { deliverDue } from './deliver-due.ts'

export type OutboxWorker = {
  /** Delivers now, because a message may have been enqueued. A running delivery continues with the new message. */
  wake(): void
  /** Stops the timer and ignores later calls of `wake`. Resolves when the running delivery has ended. */
  stop(): Promise<void>
}

const pollIntervalMs = 2_000
/** Pause before the outbox is queried again, so that many writes at once do not cause a query each. */
const queryPauseMs = 50

/**
 * Delivers the due messages of the outbox: at once, then every 2 seconds and at each `wake`. This process runs only one
 * delivery at a time. A failed delivery is logged; the next one retries.
 */
export function startOutboxWorker(services: Services, messengers: Messengers): OutboxWorker {
  let running: Promise<void> | undefined
  let isWakePending = false
  let stopped = false

  async function deliverAll(): Promise<void> {
    try {
      while (isWakePending) {
        isWakePending = false
        while ((await deliverDue(services, messengers)) > 0);
        if (isWakePending) await pause(queryPauseMs)
      }
    } catch (error) {
      isWakePending = false // The timer starts the next delivery.
      services.logger.error(
        { err: error },
        'Sending the due messages failed. The server retries in 2 seconds. Check the database if this repeats.',
      )
    }
  }

  function wake(): void {
    if (stopped) return
    isWakePending = true
    running ??= deliverAll().finally(() => {
      running = undefined
      if (isWakePending) wake() // A message may have been enqueued after the last query of this delivery.
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
      await running
    },
  }
}
