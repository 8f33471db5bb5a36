import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { apiRoot } from '#contract/codes.ts'
import type { Traffic } from './traffic.ts'

export type Answer = { status: number; body: Record<string, unknown>; retryAfterSeconds: number | undefined }

export type ClientSettings = {
  /** The address of nginx. */
  origin: string
  /** The address of the applicant's device, in 127.0.0.0/8: the limits of networks see it. */
  localAddress: string
  traffic: Traffic
  /** Aborted when the test ends: running requests then end without a record. */
  signal: AbortSignal
}

/** Sends requests as the portal does: keeps cookies and the token, and repeats with the same key what got no clear answer. */
export type ApplicantClient = {
  post(path: string, body?: object): Promise<Record<string, unknown>>
  get(path: string): Promise<Record<string, unknown>>
  setToken(token: string): void
  close(): void
}

/** As the portal does: a call without an answer after this time has failed (src/api/client.ts). */
const timeoutMs = 30_000
/** An applicant presses again after this time. */
const pressAgainMs = 1_000

/** Refusals after which an applicant goes on in another way. */
const expectedReasons = ['time-taken', 'code-expired']

/** Thrown when the test has ended. */
export class TestOverError extends Error {
  override readonly name = 'TestOverError'
}

export function createApplicantClient(settings: ClientSettings): ApplicantClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, localAddress: settings.localAddress })
  const cookies = new Map<string, string>()
  let token: string | undefined

  function send(
    method: string,
    path: string,
    sent: { body: string | undefined; key: string },
  ): Promise<Answer | undefined> {
    const { hostname, port, host } = new URL(settings.origin)
    const headers = {
      host,
      origin: settings.origin,
      'sec-fetch-site': 'same-origin',
      cookie: [...cookies].map(pair => pair.join('=')).join('; '),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sent.body === undefined
        ? {}
        : {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(sent.body)),
            ...(token === undefined ? {} : { 'idempotency-key': sent.key }),
          }),
    }
    return new Promise(resolve => {
      const call = request(
        {
          hostname: hostname === 'localhost' ? '127.0.0.1' : hostname,
          port,
          path: `${apiRoot}${path}`,
          method,
          headers,
          agent,
          timeout: timeoutMs,
        },
        response => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', () => resolve(undefined))
          response.on('end', () => {
            for (const cookie of response.headers['set-cookie'] ?? []) {
              const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
              cookies.set(name, value)
            }
            resolve(toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)))
          })
        },
      )
      call.on('timeout', () => call.destroy())
      call.on('error', () => resolve(undefined))
      call.end(sent.body)
    })
  }

  /** Repeats the same request until it gets an answer that is not a 5xx and not "in flight". */
  async function sendUntilAnswered(
    method: string,
    path: string,
    body: string | undefined,
  ): Promise<Record<string, unknown>> {
    const key = randomUUID()
    for (;;) {
      if (settings.signal.aborted) throw new TestOverError()
      const startMs = performance.now()
      const answer = await send(method, path, { body, key })
      if (settings.signal.aborted) throw new TestOverError()
      settings.traffic.record({ method, path, answer, milliseconds: performance.now() - startMs })
      if (answer !== undefined && answer.status < 500 && answer.body['reason'] !== 'in-flight') {
        if (answer.status >= 400 && !expectedReasons.includes(String(answer.body['reason'])))
          throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      await wait(answer?.retryAfterSeconds === undefined ? pressAgainMs : answer.retryAfterSeconds * 1_000)
    }
  }

  async function wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: settings.signal }).catch(() => undefined)
  }

  return {
    post: (path, body = {}) => sendUntilAnswered('POST', path, JSON.stringify(body)),
    get: path => sendUntilAnswered('GET', path, undefined),
    setToken: given => (token = given),
    close: () => agent.destroy(),
  }
}

function toAnswer(status: number, headers: Record<string, unknown>, bytes: Buffer): Answer {
  const isJson = String(headers['content-type']).startsWith('application/json')
  const retryAfter = Number(headers['retry-after'])
  return {
    status,
    body: isJson ? (JSON.parse(bytes.toString()) as Answer['body']) : {}, // each JSON answer of the API is an object
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
  }
}
