import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpClient } from './http-client.ts'
import type { Traffic } from './traffic.ts'

export type ClientSettings = {
  /** The address of nginx. */
  origin: string
  /** The address of the applicant's device, in 127.0.0.0/8. The server's limits for each network count by it. */
  localAddress: string
  traffic: Traffic
  /** Aborted when the journeys must end early: the answer of a running request then gets no record. */
  signal: AbortSignal
}

/**
 * Sends requests as the portal does, with cookies and the token. Without a clear answer, sends the same request again.
 * A POST after the sign-in has an idempotency key, the same at each attempt.
 */
export type ApplicantClient = {
  /**
   * Resolves to the body of the answer, also of a refusal after which an applicant tries another way.
   *
   * @throws the answer as an error after another refusal; TestOverError when `signal` was aborted.
   */
  post(path: string, body?: object): Promise<Record<string, unknown>>
  /** As `post`. */
  get(path: string): Promise<Record<string, unknown>>
  setToken(token: string): void
  close(): void
}

/** An applicant presses again after this time. */
const pressAgainMs = 1_000

/** Refusals after which an applicant tries another way. */
const expectedReasons = ['time-taken', 'code-expired']

/** Thrown when the signal of the client was aborted. */
export class TestOverError extends Error {
  override readonly name = 'TestOverError'
}

export function createApplicantClient(settings: ClientSettings): ApplicantClient {
  const client = createHttpClient(settings)
  let token: string | undefined

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
      const answer = await client.send(method, path, {
        body,
        token,
        key: body === undefined || token === undefined ? undefined : key,
      })
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
    close: () => client.close(),
  }
}
