import { describe, expect, it } from 'vitest'
import { memoryTrend } from './memory-trend.ts'

/** One sample a minute. */
const samplesOf = (...sizes: number[]) => sizes.map((usedMiB, index) => ({ seconds: index * 60, usedMiB }))

describe('the trend of the memory of a server', () => {
  it('is flat when the memory only rises and falls with the garbage collections', () => {
    const trend = memoryTrend(samplesOf(100, 110, 120, 100, 110, 120, 100, 110, 120))
    expect(trend.isFlat).toBe(true)
    expect(trend.noiseMiB).toBeGreaterThan(7)
  })

  it('grows when each garbage collection leaves more', () => {
    const trend = memoryTrend(samplesOf(100, 110, 120, 130, 140, 150, 160))
    expect(trend).toEqual({ growthMiB: 60, noiseMiB: 0, isFlat: false })
  })

  it('is flat when the memory shrinks', () => {
    expect(memoryTrend(samplesOf(120, 110, 100)).isFlat).toBe(true)
  })
})
