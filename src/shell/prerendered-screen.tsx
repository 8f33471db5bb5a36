import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useLayoutEffect } from 'react'
import { useServices } from '#app/services.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'

/** A screen that may stand on the page before its script does: once it answers, nothing is as it was painted. */
export function prerenderedScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const Screen: ComponentType = (await loadWithRetry(load))[name]
    return { default: () => <HydratedScreen screen={<Screen />} /> }
  })
}

function HydratedScreen({ screen }: { screen: ReactNode }) {
  const { device, deviceUse } = useServices()
  // The page itself is what is outside: it was there before React.
  useLayoutEffect(() => {
    // The tick for shared devices is a setting, which the page only shows.
    if (device.readPrerendered('sharedDevice')?.ticked && !deviceUse.isShared()) deviceUse.choose(true)
    device.endPrerendered()
  }, [device, deviceUse])
  return screen
}
