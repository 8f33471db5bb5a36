import { lazyRouteComponent } from '@tanstack/react-router'
import type { FunctionComponent } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { loadFullStyleSheet } from '#device/prerendered.ts'
import { unloadWarning } from '#device/unload-warning.ts'

/**
 * Returns a component that loads a screen and the full style sheet when the screen is first opened. `name` is the export
 * of the screen's file. If every attempt fails, the router reloads the page once, because the server may have removed
 * this release (D36). A page with answers that a reload would lose shows the failure instead.
 */
export function lazyScreen<Name extends string>(
  load: () => Promise<Record<Name, FunctionComponent>>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    try {
      return await loadWithRetry(async () => (await Promise.all([load(), loadFullStyleSheet()]))[0])
    } catch (cause) {
      // The router reloads only when it finds the browser's message about a failed import, so another error prevents it.
      throw unloadWarning.state() ? new Error('A reload would lose answers', { cause }) : cause
    }
  }, name)
}
