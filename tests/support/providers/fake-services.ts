import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'

export type FakeService = { port: number; close: () => Promise<void> }

export type FakeServiceRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** Starts a fake of an external HTTP service that responds with `answer`. */
export async function startFakeHttpService(
  answer: (request: FakeServiceRequest) => {
    status?: number
    headers?: Record<string, string>
    body?: string
  },
): Promise<FakeService> {
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const {
        status = 200,
        headers = {},
        body = '',
      } = answer({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      response.writeHead(status, { connection: 'close', ...headers }).end(body)
    })
  })
  return listen(server)
}

/**
 * Starts a fake of an external service that speaks a protocol of lines, such as SMTP. `handleConnection` gets each new
 * connection, and returns the function that gets each line of this connection.
 */
export async function startFakeLineService(
  handleConnection: (socket: Socket) => (line: string) => void,
): Promise<FakeService> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    const onLine = handleConnection(socket)
    let rest = ''
    socket.on('data', chunk => {
      const lines = (rest + String(chunk)).split('\r\n')
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
    })
    socket.on('error', () => sockets.delete(socket))
  })
  const { port, close } = await listen(server)
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy()
      return close()
    },
  }
}

async function listen(server: Server): Promise<FakeService> {
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The fake service has no port.')
  return {
    port: address.port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
      }),
  }
}
