/** The waits before the retries, 5 s together: most faults of a connection are shorter. */
const retryDelaysMs = [500, 1_500, 3_000]

/**
 * Runs an import or another load of a file of this release, with three retries.
 * @throws the error of the last attempt
 */
export async function loadWithRetry<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await load()
    } catch {
      // The last attempt, after the loop, throws its error.
      await new Promise(resolve => setTimeout(resolve, delayMs))
    }
  }
  return load()
}

/** Memoizes a load: all callers share one promise. After a failure the next call loads again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}
