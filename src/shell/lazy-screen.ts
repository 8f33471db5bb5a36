import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { loadFullStyleSheet } from '#device/prerendered.ts'

/**
 * A screen that is fetched when it is first opened, with the styles of all. What still cannot be had after some tries makes the router load
 * the page anew, once: the release may be gone from the server (D36).
 */
export function lazyScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(
    () => loadWithRetry(async () => (await Promise.all([load(), loadFullStyleSheet()]))[0]),
    name,
  )
}
