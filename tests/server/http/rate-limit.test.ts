import { describe, expect, it } from 'vitest'
import { createAllowances, createRateLimit } from '#server/calls/rate-limit.ts'
import { heapBytes } from '#support/checks/heap-bytes.ts'

function openClock(startMs = 1_000_000) {
  let nowMs = startMs
  return { now: () => new Date(nowMs), advance: (ms: number) => (nowMs += ms) }
}

const run = () => Promise.resolve('ran')

describe('the allowance of an asker (D97)', () => {
  it('is used up by a burst, and grows by the rate of a minute', () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 3, perMinute: 2 })
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 30])
    clock.advance(15_000)
    expect(take('a')).toBe(15)
    clock.advance(14_999)
    expect(take('a')).toBe(1)
    clock.advance(1)
    expect([take('a'), take('a')]).toEqual([0, 30])
  })

  it('may be a fraction above one call', () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 3, perMinute: 2 })
    take('a')
    take('a')
    clock.advance(15_000)
    expect([take('a'), take('a')]).toEqual([0, 15])
  })

  it('never exceeds the burst', () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 2, perMinute: 60 })
    take('a')
    clock.advance(3_600_000)
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 1])
  })

  it('is not touched by another asker, nor by a call of cost 0', () => {
    const take = createAllowances(openClock(), { burst: 1, perMinute: 6 })
    expect([take('a', 0), take('a', 0), take('a', 1), take('a', 0), take('b')]).toEqual([0, 0, 0, 10, 0])
  })

  it('grows by a call that is given back, but never above the burst', () => {
    const take = createAllowances(openClock(), { burst: 2, perMinute: 6 })
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 10])
    take('a', -1)
    expect([take('a'), take('a')]).toEqual([0, 10])
    for (let call = 0; call < 3; call += 1) take('a', -1)
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 10])
  })

  it('neither grows nor shrinks when the clock jumps back', () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 2, perMinute: 60 })
    take('a')
    clock.advance(-3_600_000)
    expect([take('a'), take('a')]).toEqual([0, 1])
    clock.advance(1_000)
    expect(take('a')).toBe(0)
  })

  it('is not forgotten before it is full', () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 3, perMinute: 0.5 })
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0])
    clock.advance(5 * 60_000)
    expect(take('a')).toBe(0)
    clock.advance(60_000)
    expect([take('b'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 120])
  })

  it('frees its memory at a call of another asker, once it is full again', async () => {
    const clock = openClock()
    const take = createAllowances(clock, { burst: 20, perMinute: 2 })
    take('first')
    clock.advance(60_000)
    const before = await heapBytes()
    for (let asker = 0; asker < 40_000; asker += 1) take(`asker ${asker}`)
    const held = (await heapBytes()) - before
    expect(held).toBeGreaterThan(2 ** 21)
    clock.advance(9 * 60_000)
    take('second')
    clock.advance(60_000)
    take('last')
    expect((await heapBytes()) - before).toBeLessThan(held / 2)
    expect(take('last')).toBe(0)
  })

  it('is forgotten first for the asker who asked longest ago, when there are 50,000', () => {
    const take = createAllowances(openClock(), { burst: 1, perMinute: 1 })
    for (let asker = 0; asker < 50_000; asker += 1) take(`${asker}`)
    expect(take('0')).toBe(60) // asks again, so 1 is now the oldest
    take('new')
    expect([take('0'), take('2'), take('1')]).toEqual([60, 60, 0])
  })

  it('that is used up refuses the call and names the seconds', async () => {
    const clock = openClock()
    const limit = createRateLimit(clock, { burst: 1, perMinute: 2 })
    expect(await limit('a', run)).toBe('ran')
    expect(await limit('a', run)).toEqual({ refused: 'too-many-requests', data: { seconds: 30 } })
    clock.advance(29_000)
    expect(await limit('a', run)).toEqual({ refused: 'too-many-requests', data: { seconds: 1 } })
  })
})
