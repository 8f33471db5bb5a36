import { useSyncExternalStore } from 'react'

/** Follows a value outside of React. The prerendered page and the first render in the browser read it in the same way. */
export function useSnapshot<Value>(subscribe: (notify: () => void) => () => void, read: () => Value): Value {
  return useSyncExternalStore(subscribe, read, read)
}
