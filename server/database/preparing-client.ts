import { Client, type ClientConfig } from 'pg'
import { NoAnswerError } from './outage.ts'

/**
 * `answerTimeoutMs`: the longest time without an answer to a statement; then the client closes the connection. TCP
 * itself gives up a connection that was cut during a statement only after a quarter of an hour.
 */
export type PreparingClientConfig = ClientConfig & { answerTimeoutMs?: number | undefined }

/**
 * A `pg` client that prepares each statement once, by giving its text a name. The database then parses and plans the
 * statement once per connection, which saves nearly half of the database's work for it. PgBouncer in transaction mode
 * supports this from 1.21. A query whose best plan depends on the table's size begins with a comment: it is then not
 * prepared, and the database plans it at each call. A statement that returns all columns of a table is not prepared
 * either: after a migration that adds a column, PostgreSQL refuses each prepared one with "cached plan must not change
 * result type" (D73).
 */
export class PreparingClient extends Client {
  readonly #answerTimeoutMs: number | undefined

  constructor(config?: PreparingClientConfig) {
    super(config)
    this.#answerTimeoutMs = config?.answerTimeoutMs
  }

  // `pg` declares nine overloads of `query`: this method reads only the first argument and passes the others on.
  override query(...passed: unknown[]): never {
    const [text, ...rest] = passed
    const name = typeof text === 'string' ? nameOf(text) : undefined
    const query: unknown = name === undefined ? text : { name, text }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments are passed on as the overload that was called
    const answer: unknown = super.query(...([query, ...rest] as Parameters<Client['query']>))
    if (this.#answerTimeoutMs !== undefined && answer instanceof Promise)
      this.#closeWithoutAnswer(answer, this.#answerTimeoutMs)
    return answer as never
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

/**
 * Undefined for texts that are not prepared: several statements in one text, DDL, `begin`, `commit`, a text that begins
 * with a comment or returns all columns, and new texts after `MAX_STATEMENTS`.
 */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= MAX_STATEMENTS || !PREPARABLE.test(text) || ALL_COLUMNS.test(text)) return undefined
  const name = `statement-${names.size + 1}`
  names.set(text, name)
  return name
}

/** `select *`, `select "payment".*`, `returning *`, and these after another column; not `count(*)`. */
const ALL_COLUMNS = /(?:\bselect|\breturning|,)\s+(?:[\w"]+\.)?\*/i

const PREPARABLE = /^\s*(?:select|insert|update|delete|merge|with)\b[^;]*$/i
