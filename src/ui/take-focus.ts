/** As the `ref` of an element that gets the focus when it appears, for example in place of what had the focus. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}
