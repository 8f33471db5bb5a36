import { focusHeading } from './page.tsx'

/** As the `ref` of a button that its own act removes: when it goes while it has the focus, the heading gets the focus. */
export function passFocusToHeading(element: HTMLElement | null): () => void {
  return () => {
    if (element === document.activeElement) focusHeading()
  }
}
