import { Client, type ClientConfig } from 'pg'
import { z } from 'zod'
import { NoAnswerError, StalePlanError } from './outage.ts'
import { isDeadlock } from './retry.ts'

/**
 * `answerTimeoutMs`: the longest time without an answer to a statement; then the client closes the connection. TCP
 * itself gives up a connection that was cut during a statement only after a quarter of an hour.
 */
export type PreparingClientConfig = ClientConfig & { answerTimeoutMs?: number | undefined }

/**
 * A `pg` client that prepares statements, by giving their text a name (`nameOf`). PostgreSQL then parses the statement once
 * per connection, and usually stops planning it after its first calls, which saves nearly half of the database's work for
 * it. PgBouncer in transaction mode supports this from 1.21. A query whose best plan depends on the table's size begins with
 * a comment: the client does not prepare it, and PostgreSQL plans it at each call.
 *
 * A migration that runs at the same time can make a statement fail without effect, and the client repeats the statement
 * (D73): PostgreSQL refuses a prepared statement that returns a column with a new type, and ends one of two statements that
 * wait for each other's locks (a deadlock). Inside a transaction the client repeats nothing, because PostgreSQL has ended the
 * transaction: the query throws `StalePlanError`, or the error of the deadlock.
 */
export class PreparingClient extends Client {
  readonly #answerTimeoutMs: number | undefined

  constructor(config?: PreparingClientConfig) {
    super(config)
    this.#answerTimeoutMs = config?.answerTimeoutMs
  }

  // `pg` declares several overloads of `query`: this method reads only the first argument and passes the others on.
  override query(...passed: unknown[]): never {
    const [text, ...rest] = passed
    const name = typeof text === 'string' ? nameOf(text) : undefined
    const answer = this.#ask(name === undefined ? passed : [{ name, text }, ...rest])
    if (!(answer instanceof Promise)) return answer as never
    return answer.catch((error: unknown) => {
      const isStale = isStalePlan(error)
      if (!isStale && !isDeadlock(error)) throw error
      if (isStale && name !== undefined) forgetName(String(text), name)
      if (this.getTransactionStatus() === 'I') return this.query(...passed)
      throw isStale ? new StalePlanError(String(text), { cause: error }) : error
    }) as never
  }

  #ask(passed: unknown[]): unknown {
    // The arguments fit one of the overloads, but the compiler cannot know which one.
    const answer: unknown = super.query(...(passed as Parameters<Client['query']>))
    if (this.#answerTimeoutMs !== undefined && answer instanceof Promise)
      this.#closeWithoutAnswer(answer, this.#answerTimeoutMs)
    return answer
  }

  #closeWithoutAnswer(answer: Promise<unknown>, timeoutMs: number): void {
    const close = () => this.connection.stream.destroy(new NoAnswerError('The database gave no answer.'))
    const timer = setTimeout(close, timeoutMs)
    const stop = () => clearTimeout(timer)
    answer.then(stop, stop)
  }
}

/** Limit, because each prepared statement uses memory on every connection and generated texts can vary without end. */
const MAX_STATEMENTS = 500

const names = new Map<string, string>()
let namesGiven = 0

/**
 * Undefined for texts that are not prepared: several statements in one text, DDL, `begin`, `commit`, a text that begins
 * with a comment, and new texts after `MAX_STATEMENTS`.
 */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= MAX_STATEMENTS || !PREPARABLE.test(text)) return undefined
  namesGiven += 1
  const name = `statement-${namesGiven}`
  names.set(text, name)
  return name
}

const PREPARABLE = /^\s*(?:select|insert|update|delete|merge|with)\b[^;]*$/i

/** The text then gets a new name, under which each connection prepares it again. */
function forgetName(text: string, name: string): void {
  // Another connection may have given the text a new name already.
  if (names.get(text) === name) names.delete(text)
}

/** Many faults have this code, and the text of the message may be in another language: the routine decides. */
function isStalePlan(error: unknown): boolean {
  const { code, routine } = errorFields.safeParse(error).data ?? {}
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

const errorFields = z.object({ code: z.string(), routine: z.string() })
