import { setTimeout as pause } from 'node:timers/promises'
import type { Messengers } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { type ClaimedMessage, claimDue } from './claim-due.ts'
import { deliverMessage } from './deliver-due.ts'
import { type Lane, lanes } from './lanes.ts'

export type OutboxWorker = {
  /** Claims due messages now, because a message may have been enqueued. */
  wake(): void
  /** Stops the timer and ignores later calls of `wake`. Resolves when the messages being sent have been recorded. */
  stop(): Promise<void>
}

const pollIntervalMs = 2_000
/** Pause before the outbox is queried again, so that many writes at once do not cause a query each. */
const queryPauseMs = 50

/**
 * Delivers the due messages of the outbox: at once, then every 2 seconds and at each `wake`. A message is claimed when its
 * lane has room for it; while the gateways of its channel work, it waits for no message of another lane. A failed delivery
 * is logged and retried.
 */
export function startOutboxWorker(services: Services, messengers: Messengers): OutboxWorker {
  const sendings = createSendings(messengers)
  let claiming: Promise<void> | undefined
  let isWakePending = false
  let stopped = false

  function start(row: ClaimedMessage): void {
    const sent = deliverMessage(services, messengers, row).catch((error: unknown) =>
      logFailure(services, error),
    )
    // A lane that was full may have left due messages unclaimed. Those of a failing channel wait for the timer.
    sendings.add(row, sent, ({ wasFull }) => {
      if (wasFull) wake()
    })
  }

  async function claimAll(): Promise<void> {
    try {
      while (isWakePending) {
        isWakePending = false
        for (const row of await claimDue(services.db, sendings.openLanes())) start(row)
        await claimTrials()
        await pause(queryPauseMs)
      }
    } catch (error) {
      isWakePending = false // The timer starts the next claim.
      logFailure(services, error)
    }
  }

  /** After a pause one message tries the gateways: each of the others could wait for their timeouts, and lose a try. */
  async function claimTrials(): Promise<void> {
    for (const lane of lanes)
      if (sendings.needsTrial(lane))
        for (const row of await claimDue(services.db, [{ ...lane, capacity: 1 }])) start(row)
  }

  function wake(): void {
    if (stopped) return
    isWakePending = true
    claiming ??= claimAll().finally(() => {
      claiming = undefined
      if (isWakePending) wake() // A message may have been enqueued after the last claim.
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
      await claiming
      await sendings.ended()
    },
  }
}

/** Knows which messages this process sends at the moment, and in which lanes it can send more. */
function createSendings(messengers: Messengers) {
  const sendings = new Map<Promise<void>, Lane | undefined>()
  const roomOf = (lane: Lane) => lane.capacity - [...sendings.values()].filter(each => each === lane).length
  return {
    /** Leaves out the lanes that are full, and those of a channel whose gateways fail. */
    openLanes: () =>
      lanes
        .filter(({ channel }) => messengers[channel].isFailing?.() !== true)
        .map(lane => ({ ...lane, capacity: roomOf(lane) }))
        .filter(({ capacity }) => capacity > 0),
    /** Whether the gateways of the lane have failed, their pause is over, and no message is trying them. */
    needsTrial: ({ channel }: Lane) =>
      messengers[channel].isFailing?.() === true &&
      messengers[channel].isPaused?.() !== true &&
      ![...sendings.values()].some(each => each?.channel === channel),
    add(
      { channel, priority }: ClaimedMessage,
      sent: Promise<void>,
      onEnd: (end: { wasFull: boolean }) => void,
    ): void {
      const lane = lanes.find(each => each.channel === channel && each.priority === priority)
      const ended = sent.finally(() => {
        const wasFull = lane !== undefined && roomOf(lane) <= 0
        sendings.delete(ended)
        onEnd({ wasFull })
      })
      sendings.set(ended, lane)
    },
    ended: () => Promise.all(sendings.keys()),
  }
}

function logFailure({ logger }: Services, error: unknown): void {
  logger.error(
    { err: error },
    'Sending the due messages failed. The server looks for due messages again in 2 seconds, and retries one that it had claimed after a minute or later. Check the database if this repeats.',
  )
}
