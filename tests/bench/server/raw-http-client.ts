import { createConnection, type Socket } from 'node:net'

/** A connection that is kept: one request at a time, each answered with a length. */
export type RawHttpClient = {
  /** The status of the answer. */
  post(path: string, headers: Record<string, string>, body: object): Promise<number>
  close(): void
}

/**
 * HTTP as plain text over a socket. Node's own clients take about as much of the machine as the server that they ask,
 * and the figure would be half theirs.
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
    // Bytes as letters: lengths stay lengths.
    const take = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const status = statusOfWhole(answer)
      if (status === undefined) return
      socket.off('data', take).off('error', reject)
      resolve(status)
    }
    socket.on('data', take).once('error', reject)
  })
}

/** Undefined while a part is still to come. */
function statusOfWhole(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1])
  if (Number.isNaN(length)) throw new Error('An answer without a length.')
  return answer.length >= headEnd + 4 + length ? Number(answer.slice('HTTP/1.1 '.length, 12)) : undefined
}
