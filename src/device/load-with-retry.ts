/** Waits before a file is asked for again, milliseconds: most faults of a line are over by then. */
const retryDelaysMs = [500, 1_500, 3_000]

/** A file of this release; what still cannot be had after some tries is the asker's to deal with. */
export async function loadWithRetry<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pause of retryDelaysMs) {
    try {
      return await load()
    } catch {
      // The last try says what is wrong.
      await new Promise(resolve => setTimeout(resolve, pause))
    }
  }
  return load()
}

/** One load for all who ask; once it has failed, whoever asks next begins another. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}
