import { useSyncExternalStore } from 'react'

/** Returns false on a prerendered page until React has hydrated it. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  )
}

function subscribeToNothing(): () => void {
  return () => undefined
}
