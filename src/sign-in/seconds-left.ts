import { useState, useSyncExternalStore } from 'react'
import { useServices } from '#app/services.ts'
import { type Countdown, secondsLeft } from './countdown.ts'

/** Returns the remaining seconds. Reads the clock twice a second, and when the phone wakes up. */
export function useSecondsLeft(countdown: Countdown | undefined): number {
  const { device } = useServices()
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
  const left = () => (countdown ? secondsLeft(countdown, device.now()) : 0)
  return useSyncExternalStore(subscribe, left, left)
}

function doNothing(): void {}
