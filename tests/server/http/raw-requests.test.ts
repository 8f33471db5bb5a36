import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let port: number

beforeAll(async () => {
  server = await startTestServer()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const address = server.app.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  ;({ port } = address)
})
afterAll(() => server?.close())

describe('a request on the socket', () => {
  it('is answered when it is valid', async () => {
    const answer = await sendRaw('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  // A proxy may see the end of an unclear request at another byte: then an attacker could smuggle a second request.
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['too long headers', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['two lengths', post('content-length: 2\r\ncontent-length: 3', '{}\r\n')],
    ['a length and chunks', post('content-length: 4\r\ntransfer-encoding: chunked', '0\r\n\r\n')],
    ['an unknown encoding', post('transfer-encoding: xchunked', '0\r\n\r\n')],
    ['a space before a colon', 'GET /health HTTP/1.1\r\nhost: x\r\nx-y : z\r\n\r\n'],
    ['lines without a carriage return', 'GET /health HTTP/1.1\nhost: x\n\n'],
  ])('gets no answer when it has %s: the server closes the socket', async (_, text) => {
    expect(await sendRaw(text)).toBe('')
  })

  it('is not echoed when its method is TRACE', async () => {
    const text = 'TRACE / HTTP/1.1\r\nhost: x\r\nx-secret: MARKER\r\nconnection: close\r\n\r\n'
    const answer = await sendRaw(text)
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(answer).not.toContain('MARKER')
  })
})

describe('a request with the whole URL in its first line', () => {
  it('gets the answer of its path, and is not redirected to the host of that URL (API06)', async () => {
    const version = await sendRaw(withTarget('GET', 'http://evil.example/api/v1/version'))
    expect(version).toMatch(/^HTTP\/1\.1 200 [\s\S]*"version"/)
    const returned = await sendRaw(withTarget('POST', 'http://evil.example/payResult/a/b/c?status=1'))
    expect(returned).toMatch(/^HTTP\/1\.1 303 /)
    expect(returned).toMatch(/\r\nlocation: \/payResult\/a\/b\/c\r\n/)
  })
})

describe('a request with an unknown expectation', () => {
  it('is answered by the server with its security headers, not by Node (API06)', async () => {
    const answer = await sendRaw(withTarget('GET', '/api/v1/version', 'expect: other\r\n'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('\r\ncontent-security-policy: ')
  })
})

function withTarget(method: string, target: string, headers = ''): string {
  return `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n${headers}\r\n`
}

/** A sign-in call with these headers about its length. */
function post(lengths: string, body: string): string {
  return `POST /api/v1/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${lengths}\r\n\r\n${body}`
}

/** Sends raw text and returns everything that the server sends until it closes the socket. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', chunk => {
    received += String(chunk)
  })
  socket.on('error', () => undefined)
  socket.write(text)
  await new Promise<void>(resolve => {
    socket.on('close', () => resolve())
  })
  return received
}
