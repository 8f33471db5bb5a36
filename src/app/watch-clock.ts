import { areLoaded, type Services } from './services.ts'
import type { PortalRouter } from './routes.tsx'

/** A clock that is set to the right time by the network moves by less. */
const toleranceMs = 1_000

/**
 * TanStack Query compares wall clocks: on a device whose clock is set back by a day, every answer would count as new for
 * this day, and a screen would show it without a request. So each move to another screen, and each return to the page, checks
 * whether the clock was set back since the last check. Then no earlier answer counts as new (S85).
 */
export function watchClock(services: Services, router: Pick<PortalRouter, 'subscribe'>): void {
  const { device } = services
  const readOffset = () => device.now() - device.monotonic()
  let offsetMs = readOffset()

  function checkClock() {
    const before = offsetMs
    offsetMs = readOffset()
    if (offsetMs < before - toleranceMs && areLoaded(services))
      void services.queryClient.invalidateQueries({ refetchType: 'none' })
  }

  device.onPageVisible(checkClock)
  router.subscribe('onBeforeLoad', checkClock)
}
