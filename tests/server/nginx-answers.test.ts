import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { freePort } from '#support/servers/free-port.ts'
import { clientAddressHeader, installedNginx, type Nginx, startNginx, whyNoNginx } from '../country/nginx.ts'

/** nginx is not on every machine. */
const canRun = installedNginx() !== undefined
/** What the fake process answers to a call: its own refusal, which nginx must not replace. */
const busy = { error: 'busy' }
const server = createServer((_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json', 'x-answer-mark': 'mark' })
  response.end(JSON.stringify(busy))
})
/** nginx in front of one process that answers, and nginx in front of none. */
let answered: Nginx
let alone: Nginx

beforeAll(async () => {
  if (!canRun) return
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  answered = await startNginx([port, port, port])
  alone = await startNginx([await freePort(), await freePort(), await freePort()])
}, 60_000)
beforeEach(({ skip }) => skip(!canRun, whyNoNginx))
afterAll(async () => {
  await answered?.close()
  await alone?.close()
  server.close()
})

const tooLarge = { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }

describe('an answer that nginx makes itself', () => {
  it.each([
    ['no process answers', 502, () => fetch(`${alone.origin}/welcome`)],
    ['no process answers a call', 502, () => fetch(`${alone.origin}/api/v1/metadata`, { method: 'POST' })],
    ['a probe comes from outside', 404, () => fetch(`${alone.origin}/ready`)],
    ['a body is too large', 413, () => fetch(`${answered.origin}/api/v1/x`, tooLarge)],
    ['a client opens the page of this answer', 404, () => fetch(`${answered.origin}/nginx-unavailable`)],
  ])('keeps its status and has the security headers when %s', async (_case, status, ask) => {
    const answer = await ask()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=31536000')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(answer.headers.get('server')).toBe('nginx')
    expect(await answer.text()).not.toContain('<center>')
  })

  it('is in French and English when no process answers', async () => {
    const answer = await fetch(`${alone.origin}/`)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await answer.text()
    expect(page).toContain('lang="fr"')
    expect(page).toContain('Le service ne répond pas pour le moment.')
    expect(page).toContain('<p lang="en">The service does not answer at the moment.')
  })

  it('is in French and English when a call comes to port 80', async () => {
    const answer = await fetch(`${answered.plainOrigin}/api/v1/metadata`, { method: 'POST' })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const page = await answer.text()
    expect(page).toContain('Le service ne peut pas traiter cette demande.')
    expect(page).toContain('<p lang="en">The service cannot process this request.')
  })

  it('leaves neither the address of the client nor that of the page in the log', async () => {
    await fetch(`${alone.origin}/api/v1/not-for-the-log`, { headers: { [clientAddressHeader]: '192.0.2.7' } })
    await fetch(`${answered.plainOrigin}/api/v1/not-for-the-log`, { method: 'POST' })
    await fetch(`${answered.origin}/not-for-the-log`, tooLarge)
    for (const nginx of [alone, answered]) {
      expect(nginx.log()).not.toContain('192.0.2.7')
      expect(nginx.log()).not.toContain('127.0.0.1')
      expect(nginx.log()).not.toContain('not-for-the-log')
    }
  })

  it('has a security header when the request is invalid HTTP', async () => {
    const answer = await sendRaw(alone.origin, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff')
  })
})

describe('an answer of a process', () => {
  it('passes nginx unchanged when it is a refusal (D60, D92)', async () => {
    const answer = await fetch(`${answered.origin}/api/v1/metadata`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('x-answer-mark')).toBe('mark')
    expect(answer.headers.get('content-security-policy')).toBeNull()
    expect(await answer.json()).toEqual(busy)
  })

  it('comes for each call of the contract, and nginx redirects none', async () => {
    for (const { method, path } of Object.values(endpoints)) {
      const url = `${answered.origin}/api/v1${path.replaceAll(/:\w+/g, 'x')}?applicationId=x`
      const answer = await fetch(url, { method, redirect: 'manual' })
      expect({ method, path, status: answer.status, mark: answer.headers.get('x-answer-mark') }).toEqual({
        method,
        path,
        status: 503,
        mark: 'mark',
      })
    }
  })
})

function sendRaw(origin: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.on('data', (data: Buffer) => (answer += data.toString()))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
