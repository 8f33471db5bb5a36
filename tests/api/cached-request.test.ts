import { beforeEach, describe, expect, it } from 'vitest'
import { createCachedRequest, type CachedRequest } from '#api/cached-request.ts'
import type { Result } from '#api/result.ts'

let time: number
let requestCount: number
let answer: Result<{ data: string }>
let cached: CachedRequest<string>

beforeEach(() => {
  time = 0
  requestCount = 0
  answer = { ok: true, value: { data: 'one' } }
  cached = createCachedRequest({
    now: () => time,
    freshForMs: 1_000,
    async request() {
      requestCount += 1
      return answer
    },
  })
})

describe('createCachedRequest', () => {
  it('sends one request for simultaneous callers, and another when the answer is no longer fresh', async () => {
    expect(await Promise.all([cached.readFresh(), cached.readFresh()])).toEqual(['one', 'one'])
    time = 999
    await cached.readFresh()
    expect(requestCount).toBe(1)
    time = 1_000
    answer = { ok: true, value: { data: 'two' } }
    expect(await cached.readAny()).toBe('one')
    expect(requestCount).toBe(1)
    expect(await cached.readFresh()).toBe('two')
    expect(requestCount).toBe(2)
  })

  it('drops the answer at replace() and sends the request again, and has no answer when that fails', async () => {
    cached.replace()
    expect(requestCount).toBe(0)
    await cached.readAny()
    answer = { ok: false, problem: { kind: 'offline' } }
    cached.replace()
    expect(requestCount).toBe(2)
    expect(await cached.readAny()).toBeUndefined()
    answer = { ok: true, value: { data: 'two' } }
    expect(await cached.readAny()).toBe('two')
  })

  it('sends the request again after expire(), and returns the earlier answer only when that request fails (D62)', async () => {
    await cached.readAny()
    cached.expire()
    answer = { ok: false, problem: { kind: 'offline' } }
    expect(await cached.readAny()).toBe('one')
    answer = { ok: true, value: { data: 'two' } }
    expect(await cached.readAny()).toBe('two')
    expect(await cached.readAny()).toBe('two')
    expect(requestCount).toBe(3)
  })

  it('sends the request again when expire() comes while it runs (D62)', async () => {
    const reading = cached.readAny()
    cached.expire()
    answer = { ok: true, value: { data: 'two' } }
    expect(await reading).toBe('two')
    expect(await cached.readFresh()).toBe('two')
    expect(requestCount).toBe(2)
  })

  it('resolves to the first answer when expire() came before it and the second request fails, but does not take it for fresh (D62)', async () => {
    const reading = cached.readAny()
    cached.expire()
    answer = { ok: false, problem: { kind: 'offline' } }
    expect(await reading).toBe('one')
    answer = { ok: true, value: { data: 'two' } }
    expect(await cached.readAny()).toBe('two')
    expect(requestCount).toBe(3)
  })

  it('sends a request at the first subscription and emits the answer', async () => {
    const states: unknown[] = []
    cached.subscribe(() => states.push(cached.current()))
    expect(requestCount).toBe(1)
    expect(cached.current()).toEqual({ value: undefined, state: 'pending' })
    await cached.readFresh()
    expect(states).toEqual([{ value: 'one', state: 'answered' }])
  })

  it('keeps the last answer when the next request fails, and requests again once that answer is old (S16)', async () => {
    await cached.readFresh()
    answer = { ok: false, problem: { kind: 'unreachable', cause: 'no-answer' } }
    expect(await cached.reload()).toBe('one')
    expect(cached.current()).toEqual({ value: 'one', state: 'failed' })
    answer = { ok: true, value: { data: 'two' } }
    expect(await cached.readFresh()).toBe('one')
    time = 1_000
    expect(await cached.readFresh()).toBe('two')
  })

  it('resolves to undefined when the server has never answered', async () => {
    answer = { ok: false, problem: { kind: 'offline' } }
    expect(await cached.readFresh()).toBeUndefined()
  })
})
