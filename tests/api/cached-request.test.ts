import { beforeEach, describe, expect, it } from 'vitest'
import { createCachedRequest, type CachedRequest } from '#api/cached-request.ts'
import type { Result } from '#api/result.ts'

let time: number
let asked: number
let answer: Result<{ data: string }>
let kept: CachedRequest<string>

beforeEach(() => {
  time = 0
  asked = 0
  answer = { ok: true, value: { data: 'one' } }
  kept = createCachedRequest({
    now: () => time,
    freshForMs: 1_000,
    async request() {
      asked += 1
      return answer
    },
  })
})

describe('an answer that is kept', () => {
  it('is asked for once by all who want it together, and again when it is no longer fresh', async () => {
    expect(await Promise.all([kept.readFresh(), kept.readFresh()])).toEqual(['one', 'one'])
    time = 999
    await kept.readFresh()
    expect(asked).toBe(1)
    time = 1_000
    answer = { ok: true, value: { data: 'two' } }
    expect(await kept.readAny()).toBe('one')
    expect(asked).toBe(1)
    expect(await kept.readFresh()).toBe('two')
    expect(asked).toBe(2)
  })

  it('is asked for by whoever listens, and told to all of them', async () => {
    const heard: unknown[] = []
    kept.subscribe(() => heard.push(kept.current()))
    expect(kept.current()).toEqual({ value: undefined, state: 'asking' })
    await kept.readFresh()
    expect(heard).toEqual([{ value: 'one', state: 'told' }])
  })

  it('stays what it was when the next cannot be had, and is asked for again once it is old (S16)', async () => {
    await kept.readFresh()
    answer = { ok: false, problem: { kind: 'unreachable' } }
    expect(await kept.reload()).toBe('one')
    expect(kept.current()).toEqual({ value: 'one', state: 'failed' })
    answer = { ok: true, value: { data: 'two' } }
    expect(await kept.readFresh()).toBe('one')
    time = 1_000
    expect(await kept.readFresh()).toBe('two')
  })

  it('is none where the server never said it', async () => {
    answer = { ok: false, problem: { kind: 'offline' } }
    expect(await kept.readFresh()).toBeUndefined()
  })
})
