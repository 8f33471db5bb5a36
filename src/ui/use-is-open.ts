import { type RefObject, useEffect, useRef } from 'react'

/** Returns a ref that is true while this component is shown. For a function that goes on after the answer to a call. */
export function useIsOpen(): RefObject<boolean> {
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return isOpen
}
