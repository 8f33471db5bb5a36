import { useState, useSyncExternalStore } from 'react'
import { useServices } from '#app/services.ts'
import { type Countdown, secondsLeft } from './countdown.ts'

/** The clock is outside of React: it ticks while somebody looks, and at once when the phone wakes up. */
export function useSecondsLeft(countdown: Countdown | undefined): number {
  const { device } = useServices()
  const [ticks] = useState(() => (listener: () => void) => {
    let cancel = doNothing
    const tick = () => {
      cancel()
      cancel = device.after(500, tick)
      listener()
    }
    tick()
    const stopReturn = device.onPageVisible(tick)
    return () => (cancel(), stopReturn())
  })
  const left = () => (countdown ? secondsLeft(countdown, device.now()) : 0)
  return useSyncExternalStore(ticks, left, left)
}

function doNothing(): void {}
