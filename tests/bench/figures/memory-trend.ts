import { fitLine } from './fit-line.ts'

/** One kind of memory, such as the heap of a process or its RAM, at a time since the start. */
export type MemorySample = { seconds: number; usedMiB: number }

/**
 * `growthMiB`: how much the fitted line rises over the samples. `noiseMiB`: the standard deviation of the samples
 * around that line, for example because memory rises and falls between two garbage collections.
 */
export type MemoryTrend = { growthMiB: number; noiseMiB: number; isFlat: boolean }

/** Flat: the fitted line rises by at most twice the noise. Needs two samples or more. */
export function memoryTrend(samples: readonly MemorySample[]): MemoryTrend {
  const { slope, squaredDistances } = fitLine(
    samples.map(({ seconds, usedMiB }) => ({ x: seconds, y: usedMiB })),
  )
  const noiseMiB = Math.sqrt(squaredDistances / samples.length)
  const times = samples.map(({ seconds }) => seconds)
  const growthMiB = slope * (Math.max(...times) - Math.min(...times))
  return { growthMiB, noiseMiB, isFlat: growthMiB <= 2 * noiseMiB }
}
