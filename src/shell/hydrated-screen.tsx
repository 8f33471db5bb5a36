import { type ReactNode, useLayoutEffect } from 'react'
import { useServices } from '#app/services.ts'

/** A screen that the build also prerenders; when the screen has rendered, the prerendered state ends. */
export function HydratedScreen({ screen }: { screen: ReactNode }) {
  const { device, deviceUse } = useServices()
  // An effect, because the prerendered page is outside React: it existed before React started.
  useLayoutEffect(() => {
    // The applicant may have ticked the checkbox before hydration; the setting takes its value here.
    if (device.readPrerendered('sharedDevice')?.ticked && !deviceUse.isShared()) deviceUse.choose(true)
    device.endPrerendered()
  }, [device, deviceUse])
  return screen
}
