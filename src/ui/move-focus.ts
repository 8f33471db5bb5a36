import { focusHeading } from './page.tsx'

/** As the `ref` of a button that disappears after its press: if the button has the focus then, the heading gets it. */
export function passFocusToHeadingOnRemoval(element: HTMLElement | null): () => void {
  return () => {
    if (element === document.activeElement) focusHeading()
  }
}
