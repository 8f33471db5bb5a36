import { useMemo, useState } from 'react'
import { useServices } from '#app/services.ts'
import { doNothing } from '#device/do-nothing.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { type Countdown, secondsLeft } from './countdown.ts'

/**
 * Returns the remaining seconds; 0 without a countdown. Reads the clocks twice a second, and when the page becomes
 * visible again. The monotonic clock counts too, because a wall clock that is set back would stop the countdown for
 * that time (S85). The monotonic clock may stop while the phone sleeps; then the wall clock is ahead.
 */
export function useSecondsLeft(countdown: Countdown | undefined): number {
  const { device } = useServices()
  const endsAtMs = useMemo(
    () => device.monotonic() + leftAt(countdown, device.now()) * 1_000,
    [countdown, device],
  )
  const [subscribe] = useState(() => (listener: () => void) => {
    let cancelTick = doNothing
    const tick = () => {
      cancelTick()
      cancelTick = device.after(500, tick)
      listener()
    }
    tick()
    const stopVisible = device.onPageVisible(tick)
    return () => (cancelTick(), stopVisible())
  })
  const left = () =>
    Math.min(leftAt(countdown, device.now()), Math.max(0, Math.ceil((endsAtMs - device.monotonic()) / 1_000)))
  return useSnapshot(subscribe, left)
}

function leftAt(countdown: Countdown | undefined, nowMs: number): number {
  return countdown ? secondsLeft(countdown, nowMs) : 0
}
