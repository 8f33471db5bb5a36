import { useRef, useState } from 'react'

/**
 * Runs one action of a screen at a time. `busy` is for the button of the action.
 *
 * `runOnce` does nothing and resolves to undefined while an action runs. A ref decides that, because two presses may come
 * before the screen renders again: both would send a request, and the second outcome would navigate once more.
 */
export function useBusy() {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)

  async function runOnce<Value>(action: () => Promise<Value>): Promise<Value | undefined> {
    if (running.current) return undefined
    running.current = true
    setBusy(true)
    try {
      return await action()
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  return { busy, runOnce }
}
