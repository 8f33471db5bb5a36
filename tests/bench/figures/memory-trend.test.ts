import { describe, expect, it } from 'vitest'
import { memoryTrend } from './memory-trend.ts'

/** One sample a minute. */
const samplesOf = (...megabytes: number[]) =>
  megabytes.map((value, index) => ({ seconds: index * 60, megabytes: value }))

describe('the trend of the memory of a server', () => {
  it('is flat when the memory only rises and falls with the garbage collections', () => {
    const trend = memoryTrend(samplesOf(100, 110, 120, 100, 110, 120, 100, 110, 120))
    expect(trend.isFlat).toBe(true)
    expect(trend.noiseMegabytes).toBeGreaterThan(7)
  })

  it('grows when each garbage collection leaves more', () => {
    const trend = memoryTrend(samplesOf(100, 110, 120, 130, 140, 150, 160))
    expect(trend).toEqual({ growthMegabytes: 60, noiseMegabytes: 0, isFlat: false })
  })

  it('is flat when the memory shrinks', () => {
    expect(memoryTrend(samplesOf(120, 110, 100)).isFlat).toBe(true)
  })
})
