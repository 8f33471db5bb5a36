import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'

/**
 * Returns a component for a rare part of a page, which loads when it is first shown. If every attempt to load it fails, it
 * shows nothing, and the rest of the page stays usable.
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() =>
    loadWithRetry(load).then(
      component => ({ default: component }),
      () => ({ default: () => null }),
    ),
  )
}
