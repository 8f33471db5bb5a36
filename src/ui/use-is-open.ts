import { type RefObject, useEffect, useRef } from 'react'

/** Whether this part of the page is still shown, for a function that runs after a call. */
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
