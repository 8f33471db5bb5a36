import { Client } from 'pg'

/**
 * Receives what any process of this service sends with `pg_notify` on `paymentChannel`, after the commit. An empty payload
 * means that notifications may have been missed, because the connection is new.
 */
export type Listen = (onPayload: (payload: string) => void) => { stop: () => Promise<void> }

/** The channel that wakes the requests that wait for a payment; the payload is the id of the payment. */
export const paymentChannel = 'payment_event'

const reconnectDelayMs = 1_000

/** Listens on a connection of its own: the pool gives its connections to any query. Opens a lost connection again. */
export function listenOnPostgresql(connectionString: string): Listen {
  return onPayload => {
    let client: Client | undefined
    let isStopped = false

    async function connect() {
      client = undefined
      const fresh = new Client({ connectionString, keepAlive: true, keepAliveInitialDelayMillis: 10_000 })
      client = fresh
      // Without a listener an error event would end the process; `end` follows it.
      fresh.on('error', () => undefined)
      fresh.once('end', startLater)
      fresh.on('notification', ({ payload }) => onPayload(payload ?? ''))
      await fresh.connect()
      await fresh.query(`listen ${paymentChannel}`)
      onPayload('')
    }

    function start() {
      if (isStopped) return
      // A connection that could not be opened emits `end` too. Until one is open, held requests (D68) read at intervals.
      // There is no client when a file that the address names, for example of a certificate, cannot be read.
      connect().catch(() => (client ? client.end().catch(() => undefined) : startLater()))
    }

    function startLater() {
      if (!isStopped) setTimeout(start, reconnectDelayMs).unref()
    }

    start()
    return {
      async stop() {
        isStopped = true
        await client?.end().catch(() => undefined)
      },
    }
  }
}

/** Passes the notifications of the embedded engine, which has one connection, to its listeners in this process. */
export function createLocalListener(): { listen: Listen; emit: (payload: string) => void } {
  const listeners = new Set<(payload: string) => void>()
  return {
    listen(onPayload) {
      listeners.add(onPayload)
      return { stop: async () => void listeners.delete(onPayload) }
    },
    emit(payload) {
      for (const listener of listeners) listener(payload)
    },
  }
}
