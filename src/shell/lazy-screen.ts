import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { wholeSheet } from '#device/painted.ts'

/** Waits before a screen's file is asked for again, milliseconds: most faults of a line are over by then. */
const pauses = [500, 1_500, 3_000]

/**
 * A screen that is fetched when it is first opened, with the styles of all. What still cannot be had after some tries makes the router load
 * the page anew, once: the release may be gone from the server (D36).
 */
export function lazyScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(
    () => fetchPatiently(async () => (await Promise.all([load(), wholeSheet()]))[0]),
    name,
  )
}

export async function fetchPatiently<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pause of pauses) {
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
