import { useSyncExternalStore } from 'react'

/** False on a page that was painted without its script, until React has taken it over. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}

function subscribe(): () => void {
  return () => undefined
}
