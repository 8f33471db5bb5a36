import type { Result } from '#api/result.ts'
import type { RandomSource } from '#support/random-source.ts'
import { failed, type FakeServer, refused } from './fake-server.ts'
import type { Phone } from './phone.ts'
import type { LineFault } from './story.ts'
import type { VirtualClock } from './virtual-clock.ts'

type Parts = {
  phone: Phone
  clock: VirtualClock
  chance: RandomSource
  server: FakeServer
  trail: (event: string) => void
  /** Refreshes the token of the phone later, as the session does after a 401. */
  onExpired: () => void
}

export type Ask = (endpoint: string, input: unknown, key: string | undefined) => Promise<Result<unknown>>

export const noAnswer = failed({ kind: 'unreachable', cause: 'no-answer' })
const foreign = failed({ kind: 'unreachable', cause: 'foreign' })

/** What the page gets instead of an answer of the server; undefined when the request reaches the server. */
export function failOnTheWay(
  fault: LineFault | undefined,
  endpoint: string,
  clock: Pick<VirtualClock, 'sleep'>,
): Result<unknown> | Promise<Result<unknown>> | undefined {
  switch (fault) {
    case 'no request':
      return noAnswer
    case 'no request, slowly':
      return clock.sleep(30_000).then(() => noAnswer)
    case 'broken server':
      return refused(503)
    case 'too many requests':
      return refused(429)
    case 'foreign refusal':
      return refused(404)
    case 'foreign ban':
      return refused(403)
    case 'foreign answer':
      // Every field of the answer to a save is optional, so an empty one passes the decoder.
      return endpoint === 'saveData' ? { ok: true, value: { data: {} } } : foreign
    case 'no answer':
    case 'no answer, slowly':
    case undefined:
      return undefined
  }
}

/** The end of an entry of the trail: what the server has answered, and what has become of the answer. */
export function tellAnswer(answer: Result<unknown>, fault: LineFault | undefined): string {
  const result = answer.ok ? 'ok' : (('reason' in answer.problem && answer.problem.reason) ?? 'no')
  return `${String(result)}, ${fault ?? 'answered'}`
}

/** The network as one tab uses it: each request meets the next fault of its phone, or none. */
export function createAsk({ phone, clock, chance, server, trail, onExpired }: Parts): Ask {
  return async (endpoint, input, key) => {
    const fault = phone.nextLineFaults.shift()
    const { token } = phone
    await clock.sleep(chance.below(1_500))
    if (!phone.signedIn) return refused(401)
    const failure = failOnTheWay(fault, endpoint, clock)
    if (failure) return failure
    if (token !== phone.acceptedToken) {
      onExpired()
      return refused(401)
    }
    const answer = server.answer(endpoint, input, key)
    trail(`server: ${endpoint} ${key ?? ''} of phone ${phone.name}: ${tellAnswer(answer, fault)}`)
    if (fault === 'no answer') return noAnswer
    if (fault === 'no answer, slowly') return clock.sleep(30_000).then(() => noAnswer)
    await clock.sleep(chance.below(1_500))
    return answer
  }
}

/** Asks for a new token. Resolves to whether the phone has it; the answer may be lost. */
export async function refreshToken({ phone, clock, chance }: Pick<Parts, 'phone' | 'clock' | 'chance'>) {
  const fault = phone.nextLineFaults.shift()
  await clock.sleep(chance.below(1_500))
  if (fault === 'no answer' || fault === 'no answer, slowly') {
    phone.acceptedToken += 1
    return false
  }
  if (fault !== undefined) return false
  phone.acceptedToken += 1
  phone.token = phone.acceptedToken
  return true
}
