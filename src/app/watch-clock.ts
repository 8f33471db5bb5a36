import { areLoaded, type Services } from './services.ts'
import type { PortalRouter } from './routes.tsx'

/** The usual correction of a clock by the network is smaller. */
const toleranceMs = 1_000

/**
 * TanStack Query compares times of the wall clock. After this clock was set back by a day, every answer would count as
 * new for a day, and a screen would show it without a request. So each move of the router, and each return to the page,
 * checks whether the clock was set back since the last check. If it was, no earlier answer counts as new (S85).
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
