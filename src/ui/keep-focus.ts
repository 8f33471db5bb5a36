import type { MouseEvent } from 'react'

/**
 * As the `onMouseDown` of a button: keeps the focus in the field until the click. On blur the field may show a message,
 * which would move the button away from the pointer before the release, and the browser would send no click.
 */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault()
}
