/** As the `ref` of an element that takes the place of what had the focus. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}
