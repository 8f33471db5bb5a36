import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useLayoutEffect } from 'react'
import { useServices } from '#portal/services.ts'
import { fetchPatiently } from '#device/load-file.ts'

/** A screen that may stand on the page before its script does: once it answers, nothing is as it was painted. */
export function paintedScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const Screen: ComponentType = (await fetchPatiently(load))[name]
    return { default: () => <TakenOver screen={<Screen />} /> }
  })
}

function TakenOver({ screen }: { screen: ReactNode }) {
  const { device, deviceUse } = useServices()
  // The page itself is what is outside: it was there before React.
  useLayoutEffect(() => {
    // The tick for shared devices is a setting, which the page only shows.
    if (device.painted('sharedDevice')?.ticked && !deviceUse.isShared()) deviceUse.choose(true)
    device.endPainted()
  }, [device, deviceUse])
  return screen
}
