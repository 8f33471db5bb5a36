import { createConnection, type Socket } from 'node:net'

/** `body`: one character for each byte. */
export type RawAnswer = { status: number; head: string; body: string }

/** A keep-alive connection with one request at a time. Each response must have a content-length. */
export type RawHttpClient = {
  /** @throws when the connection ends before the answer is complete, and when the answer has no content-length */
  post(path: string, headers: Record<string, string>, body: object): Promise<RawAnswer>
  close(): void
}

/**
 * Writes HTTP as text to a socket. Node's HTTP clients use about as much CPU as the server. They share the processors
 * of the machine with the server, so the benchmark would measure about half the rate.
 */
export function openRawHttpClient(origin: string): RawHttpClient {
  const { hostname, port, host } = new URL(origin)
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true })
  // Without a listener, an error between two requests would end the process. The next `post` rejects.
  socket.on('error', () => undefined)
  return {
    async post(path, headers, body) {
      const text = JSON.stringify(body)
      const lines = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(text) })
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      const answered = readAnswer(socket)
      socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${text}`)
      return answered
    },
    close: () => socket.destroy(),
  }
}

/** Returns the seconds of `Retry-After`; undefined without this header, or when it has a date. */
export function retryAfterSeconds({ head }: RawAnswer): number | undefined {
  const seconds = /\r\nretry-after: (\d+)/i.exec(head)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = ''
    const stop = () => socket.off('data', readChunk).off('error', fail).off('close', failClosed)
    const fail = (error: Error) => {
      stop()
      reject(error)
    }
    const failClosed = () => fail(new Error('The server closed the connection without a whole answer.'))
    // One character for each byte, so that the length is in bytes.
    const readChunk = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const answer = readWhole(received)
      if (answer === undefined) return
      if (answer instanceof Error) return fail(answer)
      stop()
      resolve(answer)
    }
    if (socket.destroyed) return failClosed()
    socket.on('data', readChunk).once('error', fail).once('close', failClosed)
  })
}

/** Returns undefined while the response is incomplete, and an error for one without a content-length. */
function readWhole(received: string): RawAnswer | Error | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
  if (Number.isNaN(length)) return new Error('A response without a content-length.')
  const body = received.slice(headEnd + 4)
  if (body.length < length) return undefined
  return { status: Number(head.slice('HTTP/1.1 '.length, 12)), head, body }
}
