import { useEffect, useRef } from 'react'

/** Returns a function that returns true while this component is shown. For code after the answer to a call. */
export function useIsOpen(): () => boolean {
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  return () => isOpen.current
}
