import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { HydratedScreen } from './hydrated-screen.tsx'

/** Returns the component of a route whose screen the build prerenders. */
export function prerenderedScreen(load: () => Promise<ComponentType>) {
  return lazyRouteComponent(async () => {
    const Screen = await load()
    return { default: () => <HydratedScreen screen={<Screen />} /> }
  })
}
