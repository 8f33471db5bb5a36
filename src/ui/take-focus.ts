/** As the `ref` of an element that gets the focus when it appears, for example in place of what had the focus. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

/**
 * As the `ref` of an element that appears in place of a pressed button. An applicant who has moved the focus elsewhere since
 * the press keeps it there.
 */
export function takeLostFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true })
}
