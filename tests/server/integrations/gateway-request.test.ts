import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { requestGateway } from '#server/integrations/gateway-request.ts'
import { verifyRecaptcha } from '#server/integrations/recaptcha.ts'
import { demoCertificate } from '#server/tls/demo-certificate.ts'
import { startFakeHttpService } from '#support/providers/fake-services.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map(close => close()))
})

describe('a gateway that redirects', () => {
  it.each([301, 302, 303, 307, 308])(
    'counts as no answer, and the request goes nowhere else: %i',
    async status => {
      const { url, requestsElsewhere } = await startRedirect(status)
      const answer = await requestGateway(url, { headers: { authorization: 'key' }, body: 'secret' })
      expect(answer).toEqual({ kind: 'unanswered', reason: 'TypeError' })
      expect(requestsElsewhere).toEqual([])
    },
  )

  it.each([302, 307])('gets no secret of reCAPTCHA at another address: %i', async status => {
    const { url, requestsElsewhere } = await startRedirect(status)
    const reasons: string[] = []
    const settings = { secret: 'the-secret', verifyUrl: url }
    expect(await verifyRecaptcha(settings, 'answer', reason => reasons.push(reason))).toBe('unavailable')
    expect(reasons).toEqual(['TypeError'])
    expect(requestsElsewhere).toEqual([])
  })
})

describe('a gateway whose response never ends', () => {
  it('counts as no answer, and the server stops reading it', async () => {
    const { url, sentBytes } = await startEndless()
    const answer = await requestGateway(url, { headers: {}, timeoutMs: 60_000 })
    expect(answer).toEqual({ kind: 'unanswered', reason: 'TooLong' })
    // The buffers of both sockets hold some of what was sent and never read.
    expect(sentBytes()).toBeLessThan(20_000_000)
  })
})

describe('a gateway to which the connection fails', () => {
  it('gets no request, and the reason says that its certificate is not valid', async () => {
    const { url, requests } = await startInvalidCertificate()
    const answer = await requestGateway(url, { headers: { authorization: 'key' }, body: 'secret' })
    // The certificate has expired, and no known authority has signed it. The version of Node.js decides which fault it names.
    const reason = expect.stringMatching(/^(?:CERT_HAS_EXPIRED|DEPTH_ZERO_SELF_SIGNED_CERT)$/)
    expect(answer).toEqual({ kind: 'unanswered', reason })
    expect(requests).toEqual([])
  })

  it('counts as no answer, with the reason of the network', async () => {
    const gateway = await startFakeHttpService(() => ({}))
    await gateway.close()
    const answer = await requestGateway(`http://127.0.0.1:${gateway.port}/`, { headers: {} })
    expect(answer).toEqual({ kind: 'unanswered', reason: 'ECONNREFUSED' })
  })
})

/** `requestsElsewhere`: what arrives at the address to which the gateway redirects. */
async function startRedirect(status: number) {
  const requestsElsewhere: string[] = []
  const elsewhere = await startFakeHttpService(({ body }) => {
    requestsElsewhere.push(body)
    return { body: JSON.stringify({ success: true }) }
  })
  const headers = { location: `http://127.0.0.1:${elsewhere.port}/` }
  const gateway = await startFakeHttpService(() => ({ status, headers }))
  closers.push(elsewhere.close, gateway.close)
  return { url: `http://127.0.0.1:${gateway.port}/`, requestsElsewhere }
}

/** A certificate of this day lasts a year, and no known authority has signed it. */
const longAgo = new Date('2019-01-01')

async function startInvalidCertificate() {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-'))
  const requests: string[] = []
  const certificate = await demoCertificate({ dataDir, lanAddresses: [], now: longAgo })
  rmSync(dataDir, { recursive: true })
  const server = createTlsServer(certificate, (request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  return { url: `https://localhost:${await listen(server)}/`, requests }
}

async function startEndless() {
  let sentBytes = 0
  const chunk = 'x'.repeat(100_000)
  const send = (response: ServerResponse) => {
    sentBytes += chunk.length
    if (response.write(chunk)) setImmediate(send, response)
  }
  const server = createServer((_request, response) => {
    response.on('drain', () => send(response))
    send(response)
  })
  return { url: `http://localhost:${await listen(server)}/`, sentBytes: () => sentBytes }
}

/** Listens until the end of the test. Returns the port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => {
    server.listen(0, 'localhost', resolve)
  })
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise(resolve => {
      server.close(resolve)
    })
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The gateway has no port.')
  return address.port
}
