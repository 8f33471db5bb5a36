import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** What the socket asks of the engine: run these wire messages, and hand over what it answers. */
export type WireEngine = Pick<PGlite, 'execProtocolRawStream'>

/**
 * Stands where `pg` has its TCP socket: the real wire protocol goes to the engine in this process and back. So one
 * driver, one set of type parsers and one kind of error serve both PGlite and PostgreSQL.
 */
export class PgliteSocket extends Duplex {
  readonly #engine: WireEngine
  readonly #fault: () => unknown

  /** @param fault what has made the engine untrustworthy, if anything has. */
  constructor(engine: WireEngine, fault: () => unknown = () => undefined) {
    super()
    this.#engine = engine
    this.#fault = fault
  }

  /** The engine has one session: what the client before this one left in it is thrown away first. */
  connect(): this {
    setImmediate(() => void this.#startSession())
    return this
  }

  override _write(message: Buffer, _encoding: BufferEncoding, done: SocketCallback): void {
    void this.#exchange([message], done)
  }

  /** `pg` corks the messages of one query, which so reach the engine together. */
  override _writev(chunks: { chunk: Buffer }[], done: SocketCallback): void {
    const messages = chunks.map(({ chunk }) => chunk)
    void this.#exchange(messages, done)
  }

  override _read(): void {
    // Answers are pushed as the engine gives them.
  }

  override _final(done: SocketCallback): void {
    this.push(null)
    done()
  }

  /** `pg` calls these on a TCP socket; there is none to tune. */
  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  /** Two messages: `discard all` refuses to run in the implicit transaction of a longer one. */
  async #startSession(): Promise<void> {
    try {
      await this.#run(simpleQuery('rollback'))
      await this.#run(simpleQuery('discard all'))
      this.emit('connect')
    } catch (error) {
      this.destroy(asError(error))
    }
  }

  async #exchange(messages: Buffer[], done: SocketCallback): Promise<void> {
    const answer = await this.#run(joined(messages)).catch(asError)
    // Later, never at once: `pg` does not expect an answer while it is still writing the question.
    setImmediate(() => {
      if (answer instanceof Error) return done(answer)
      if (answer.length > 0) this.push(answer)
      done()
    })
  }

  /** Streamed, because the engine's other calls parse every answer and keep what they parsed for ever. */
  async #run(message: Buffer): Promise<Buffer> {
    const answers: Uint8Array[] = []
    // A copy: the bytes are the engine's own memory, which the next message overwrites.
    const onRawData = (bytes: Uint8Array) => answers.push(Uint8Array.from(bytes))
    await this.#engine.execProtocolRawStream(message, { onRawData, syncToFs: false })
    const fault = this.#fault()
    if (fault !== undefined) throw new Error('The database could not reach its disk.', { cause: fault })
    // The engine swallows its own crashes: without this the query would wait for ever.
    if (answers.length === 0 && !isTermination(message))
      throw new Error('The database engine gave no answer.')
    return joined(answers)
  }
}

type SocketCallback = (error?: Error | null) => void

function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function isTermination(message: Buffer): boolean {
  return message[0] === 'X'.charCodeAt(0)
}

function joined(parts: Uint8Array[]): Buffer {
  const [first] = parts
  if (first !== undefined && parts.length === 1)
    return Buffer.from(first.buffer, first.byteOffset, first.length)
  return Buffer.concat(parts)
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('The database engine failed.', { cause: thrown })
}
