import { createConnection, type Socket } from 'node:net'

/** A keep-alive connection with one request at a time. Each response must have a content-length. */
export type RawHttpClient = {
  /** Returns the status of the response. */
  post(path: string, headers: Record<string, string>, body: object): Promise<number>
  close(): void
}

/**
 * Writes HTTP as text to a socket. Node's HTTP clients use about as much CPU as the server. They share the processors of
 * the machine with the server, so the benchmark would measure about half the rate.
 */
export function openRawHttpClient(origin: string): RawHttpClient {
  const { hostname, port, host } = new URL(origin)
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true })
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

function readAnswer(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let answer = ''
    // One character for each byte, so that the length is in bytes.
    const readChunk = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const status = statusOfWhole(answer)
      if (status === undefined) return
      socket.off('data', readChunk).off('error', reject)
      resolve(status)
    }
    socket.on('data', readChunk).once('error', reject)
  })
}

/** Returns undefined while the response is incomplete. */
function statusOfWhole(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1])
  if (Number.isNaN(length)) throw new Error('A response without a content-length.')
  return answer.length >= headEnd + 4 + length ? Number(answer.slice('HTTP/1.1 '.length, 12)) : undefined
}
