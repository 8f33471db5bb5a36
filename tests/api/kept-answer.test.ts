import { beforeEach, describe, expect, it } from 'vitest'
import { createKeptAnswer, type KeptAnswer } from '#api/kept-answer.ts'
import type { Result } from '#api/result.ts'

let time: number
let asked: number
let answer: Result<{ data: string }>
let kept: KeptAnswer<string>

beforeEach(() => {
  time = 0
  asked = 0
  answer = { ok: true, value: { data: 'one' } }
  kept = createKeptAnswer({
    now: () => time,
    freshFor: 1_000,
    async ask() {
      asked += 1
      return answer
    },
  })
})

describe('an answer that is kept', () => {
  it('is asked for once by all who want it together, and again when it is no longer fresh', async () => {
    expect(await Promise.all([kept.ask(), kept.ask()])).toEqual(['one', 'one'])
    time = 999
    await kept.ask()
    expect(asked).toBe(1)
    time = 1_000
    answer = { ok: true, value: { data: 'two' } }
    expect(await kept.recall()).toBe('one')
    expect(asked).toBe(1)
    expect(await kept.ask()).toBe('two')
    expect(asked).toBe(2)
  })

  it('is asked for by whoever listens, and told to all of them', async () => {
    const heard: unknown[] = []
    kept.subscribe(() => heard.push(kept.current()))
    expect(kept.current()).toEqual({ value: undefined, state: 'asking' })
    await kept.ask()
    expect(heard).toEqual([{ value: 'one', state: 'told' }])
  })

  it('stays what it was when the next cannot be had, and is asked for again once it is old (S16)', async () => {
    await kept.ask()
    answer = { ok: false, problem: { kind: 'unreachable' } }
    expect(await kept.askAnew()).toBe('one')
    expect(kept.current()).toEqual({ value: 'one', state: 'failed' })
    answer = { ok: true, value: { data: 'two' } }
    expect(await kept.ask()).toBe('one')
    time = 1_000
    expect(await kept.ask()).toBe('two')
  })

  it('is none where the server never said it', async () => {
    answer = { ok: false, problem: { kind: 'offline' } }
    expect(await kept.ask()).toBeUndefined()
  })
})
