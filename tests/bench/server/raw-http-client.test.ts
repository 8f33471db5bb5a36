import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRawHttpClient, retryAfterSeconds } from './raw-http-client.ts'

const server = createServer((request, response) => {
  if (request.url === '/closes') return void request.socket.end()
  if (request.url === '/chunked')
    return void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('{}')
  if (request.url === '/resets')
    response.once('finish', () => setTimeout(() => request.socket.resetAndDestroy(), 20))
  const busy = request.url === '/busy'
  const body = '{"message":"Complété"}'
  response.writeHead(busy ? 503 : 200, {
    'content-length': Buffer.byteLength(body),
    ...(busy && { 'retry-after': '7' }),
  })
  // In two parts, so that the client must wait for the second one.
  response.write(body.slice(0, 5))
  setImmediate(() => response.end(body.slice(5)))
})
let origin = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  origin = `http://127.0.0.1:${port}`
})
afterAll(() => void server.close())

describe('the raw HTTP client of the benchmarks', () => {
  it('returns status, header and body of each answer on one connection', async () => {
    const client = openRawHttpClient(origin)
    const answer = await client.post('/', {}, {})
    expect(answer.status).toBe(200)
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe('{"message":"Complété"}')
    expect(retryAfterSeconds(answer)).toBeUndefined()
    const busy = await client.post('/busy', {}, {})
    expect([busy.status, retryAfterSeconds(busy)]).toEqual([503, 7])
    expect(busy.body).toBe(answer.body)
    client.close()
  })

  it('rejects a call whose answer has no content-length, without an uncaught error', async () => {
    const client = openRawHttpClient(origin)
    await expect(client.post('/chunked', {}, {})).rejects.toThrow('content-length')
    client.close()
  })

  it('rejects a call when the server closes the connection, and the next call', async () => {
    const client = openRawHttpClient(origin)
    await expect(client.post('/closes', {}, {})).rejects.toThrow('closed the connection')
    await expect(client.post('/', {}, {})).rejects.toThrow('closed the connection')
  })

  it('rejects the next call after an error of the connection between two calls, without an uncaught error', async () => {
    const client = openRawHttpClient(origin)
    expect((await client.post('/resets', {}, {})).status).toBe(200)
    await new Promise(resolve => setTimeout(resolve, 100))
    await expect(client.post('/', {}, {})).rejects.toThrow('closed the connection')
  })
})
