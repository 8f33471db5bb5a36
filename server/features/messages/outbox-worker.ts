import { setTimeout as pause } from 'node:timers/promises'
import type { Messengers } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { deliverDue } from './deliver-due.ts'

export type OutboxWorker = {
  /** Starts a round now, because a message may have been enqueued. */
  wake(): void
  /** Resolves after the current round. */
  stop(): Promise<void>
}

const pollIntervalMs = 2_000
/** Pause between two rounds, so that many writes at once do not make the server query the outbox all the time. */
const roundPauseMs = 50

/** Delivers due messages after every write and every 2 seconds; one round at a time. */
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
      again = false // The timer starts the next round.
      services.logger.error(
        { err: error },
        'Sending the due messages failed. The server retries in 2 seconds. Check the database if this repeats.',
      )
    }
  }

  function wake(): void {
    if (stopped) return
    again = true
    round ??= deliverAll().finally(() => {
      round = undefined
      if (again) wake() // For messages that were enqueued while this round ended.
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
