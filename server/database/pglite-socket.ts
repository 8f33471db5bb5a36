import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** The part of the engine that the socket uses: it runs wire messages and passes on the answers. */
export type WireEngine = Pick<PGlite, 'execProtocolRawStream'>

/**
 * Replaces the TCP socket of `pg`: it passes the wire protocol to the engine in this process. So PGlite and PostgreSQL
 * share one driver, one set of type parsers and one kind of error.
 */
export class PgliteSocket extends Duplex {
  readonly #engine: WireEngine
  readonly #fault: () => unknown

  /**
   * @param fault returns the error of a failed fsync, after which no answer can be trusted; undefined when none failed.
   */
  constructor(engine: WireEngine, fault: () => unknown = () => undefined) {
    super()
    this.#engine = engine
    this.#fault = fault
  }

  /** Resets the engine's only session, which may contain state of the previous client. */
  connect(): this {
    setImmediate(() => void this.#startSession())
    return this
  }

  override _write(message: Buffer, _encoding: BufferEncoding, done: SocketCallback): void {
    void this.#exchange([message], done)
  }

  /** `pg` corks the messages of one query, so they reach the engine together. */
  override _writev(chunks: { chunk: Buffer }[], done: SocketCallback): void {
    const messages = chunks.map(({ chunk }) => chunk)
    void this.#exchange(messages, done)
  }

  override _read(): void {
    // `#exchange` pushes the answers when the engine returns them.
  }

  override _final(done: SocketCallback): void {
    this.push(null)
    done()
  }

  /** `pg` calls this and the next three methods on a TCP socket; here they have no effect. */
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

  /** Sends two messages, because `discard all` fails inside the implicit transaction of one message with both. */
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
    // Asynchronous, because `pg` does not expect an answer while it is still writing the query.
    setImmediate(() => {
      if (answer instanceof Error) return done(answer)
      if (answer.length > 0) this.push(answer)
      done()
    })
  }

  /** Uses the raw stream, because the engine's other calls parse every answer and never free the result. */
  async #run(message: Buffer): Promise<Buffer> {
    const answers: Uint8Array[] = []
    // Copies the bytes, because the next message overwrites this memory of the engine.
    const onRawData = (bytes: Uint8Array) => answers.push(Uint8Array.from(bytes))
    // `syncToFs` is only for PGlite's IndexedDB. On disk PostgreSQL itself calls fsync (pglite-files.ts).
    await this.#engine.execProtocolRawStream(message, { onRawData, syncToFs: false })
    const fault = this.#fault()
    if (fault !== undefined) throw new Error('The database could not reach its disk.', { cause: fault })
    // The engine does not report that it crashed: without this check the query would wait forever.
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
