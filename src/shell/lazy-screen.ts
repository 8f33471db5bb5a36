import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { loadFullStyleSheet } from '#device/prerendered.ts'

/**
 * Returns a component that loads a screen and the full style sheet when the screen is first opened. `name` is the export
 * of the screen's file. If every attempt fails, the router reloads the page once, because the server may have removed
 * this release (D36).
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
