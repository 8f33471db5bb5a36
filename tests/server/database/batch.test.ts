import { describe, expect, it, vi } from 'vitest'
import { batchCalls } from '#server/database/batch.ts'

/** Records the items of each batch; the test decides when a batch ends. */
function openCalls() {
  const calls: { items: readonly string[]; end: (error?: Error) => void }[] = []
  const run = (items: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      calls.push({ items, end: error => (error ? reject(error) : resolve()) })
    })
  const next = async (number: number) => {
    while (calls.length <= number) await Promise.resolve()
    const call = calls[number]
    if (!call) throw new Error('no batch with this number')
    return call
  }
  return { calls, run, next }
}

describe('batchCalls', () => {
  it('runs an item at once when no batch runs, and combines the items that arrive during a batch', async () => {
    const { calls, run, next } = openCalls()
    const call = batchCalls(run)
    const first = call('a')
    expect(calls.map(({ items }) => items)).toEqual([['a']])
    const rest = Promise.all([call('b'), call('c')])
    ;(await next(0)).end()
    await first
    const second = await next(1)
    expect(second.items).toEqual(['b', 'c'])
    const last = call('d')
    second.end()
    await rest
    ;(await next(2)).end()
    await last
    expect(calls.map(({ items }) => items)).toEqual([['a'], ['b', 'c'], ['d']])
  })

  it('retries each item alone when a batch fails', async () => {
    const batches: string[][] = []
    const call = batchCalls<string>(async items => {
      batches.push([...items])
      await Promise.resolve()
      if (items.includes('bad')) throw new Error('bad')
    })
    const outcomes = await Promise.allSettled([call('a'), call('bad'), call('b')])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(batches).toEqual([['a'], ['bad', 'b'], ['bad'], ['b']])
  })

  it('starts a second batch with the next item when the running batch takes longer than 2 s', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { calls, run } = openCalls()
      const call = batchCalls(run)
      void call('hangs')
      void call('waits')
      expect(calls).toHaveLength(1)
      vi.advanceTimersByTime(2_001)
      void call('comes later')
      expect(calls.map(({ items }) => items)).toEqual([['hangs'], ['waits', 'comes later']])
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not retry a single item that fails, and runs the next item', async () => {
    let calls = 0
    const call = batchCalls<string>(async () => {
      calls += 1
      if (calls === 1) throw new Error('lost')
    })
    await expect(call('a')).rejects.toThrow('lost')
    await call('b')
    expect(calls).toBe(2)
  })
})
