export type MemorySample = { seconds: number; megabytes: number }

/**
 * `growthMegabytes`: how much the fitted line rises over the samples. `noiseMegabytes`: the standard deviation of the samples
 * around that line, which is the rise and fall between two garbage collections.
 */
export type MemoryTrend = { growthMegabytes: number; noiseMegabytes: number; isFlat: boolean }

/** Fits a line through the samples (least squares). Flat: it rises by at most twice the noise. Needs two samples or more. */
export function memoryTrend(samples: readonly MemorySample[]): MemoryTrend {
  const meanSeconds = mean(samples.map(({ seconds }) => seconds))
  const meanMegabytes = mean(samples.map(({ megabytes }) => megabytes))
  const covariance = mean(
    samples.map(({ seconds, megabytes }) => (seconds - meanSeconds) * (megabytes - meanMegabytes)),
  )
  const slope = covariance / mean(samples.map(({ seconds }) => (seconds - meanSeconds) ** 2))
  const distances = samples.map(
    ({ seconds, megabytes }) => megabytes - meanMegabytes - slope * (seconds - meanSeconds),
  )
  const noiseMegabytes = Math.sqrt(mean(distances.map(distance => distance ** 2)))
  const times = samples.map(({ seconds }) => seconds)
  const growthMegabytes = slope * (Math.max(...times) - Math.min(...times))
  return { growthMegabytes, noiseMegabytes, isFlat: growthMegabytes <= 2 * noiseMegabytes }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
