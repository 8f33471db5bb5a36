import { type RefCallback, type RefObject, useRef, useState } from 'react'

/** A box that has the focus as it appears: it stands where the button was that called for it. */
export function useFocusedInput(): {
  input: RefObject<HTMLInputElement | null>
  attach: RefCallback<HTMLInputElement>
} {
  const input = useRef<HTMLInputElement>(null)
  const [attach] = useState(() => (element: HTMLInputElement | null) => {
    input.current = element
    element?.focus()
  })
  return { input, attach }
}
