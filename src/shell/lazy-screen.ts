import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { fetchPatiently } from '#device/load-file.ts'
import { wholeSheet } from '#device/painted.ts'

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
