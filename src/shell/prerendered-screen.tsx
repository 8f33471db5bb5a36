import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { HydratedScreen } from './hydrated-screen.tsx'

/** Returns the route's component of a screen that the build also prerenders. */
export function prerenderedScreen(load: () => Promise<ComponentType>) {
  return lazyRouteComponent(async () => {
    const Screen = await load()
    return { default: () => <HydratedScreen screen={<Screen />} /> }
  })
}
