import { Pool, type PoolClient, type PoolConfig } from 'pg'

/** How busy the pool of connections is. */
export type PoolLoad = {
  /** Maximum number of connections. */
  size: number
  open: number
  idle: number
  /** Statements and transactions that wait for a connection. */
  waiting: number
  /** How long the first of those in the queue has waited until now. */
  longestWaitMs: number
}

/** Thrown when a statement or a transaction finds the queue full. */
export class PoolFullError extends Error {
  override readonly name = 'PoolFullError'
}

/**
 * At most this many statements and transactions may wait for a connection. With the usual 10 connections, requests are
 * refused long before, when they arrive (server/http/load-shedding.ts): this limit only protects the memory of the
 * process.
 */
const maxWaiting = 5_000

/** A pool that limits its queue, and knows how long the first in the queue has waited. */
export class BoundedPool extends Pool {
  readonly #size: number
  /** When each waiter arrived, oldest first. Milliseconds. */
  readonly #arrivals = new Set<{ at: number }>()

  constructor(config: PoolConfig & { max: number }) {
    super(config)
    this.#size = config.max
  }

  // `Pool.query` of `pg` calls the overload with a callback. The server never uses `Pool.query`, so this overload has no limit.
  override connect(...passed: unknown[]): never {
    if (passed.length > 0) return super.connect(...(passed as Parameters<Pool['connect']>)) as never
    return this.#connectInTurn() as never
  }

  load(): PoolLoad {
    const [first] = this.#arrivals
    return {
      size: this.#size,
      open: this.totalCount,
      idle: this.idleCount,
      waiting: this.#arrivals.size,
      longestWaitMs: first === undefined ? 0 : performance.now() - first.at,
    }
  }

  async #connectInTurn(): Promise<PoolClient> {
    if (this.#arrivals.size >= maxWaiting)
      throw new PoolFullError('Too many statements wait for a connection to the database.')
    const arrival = { at: performance.now() }
    this.#arrivals.add(arrival)
    try {
      return await super.connect()
    } finally {
      this.#arrivals.delete(arrival)
    }
  }
}
