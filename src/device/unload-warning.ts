/** Global, as a page has one warning. */
let isActive = false

/** While it is active, the browser asks before it closes or reloads the page (not on iOS). */
export function setUnloadWarning(active: boolean): void {
  if (active === isActive) return
  isActive = active
  if (active) addEventListener('beforeunload', preventUnload)
  else removeEventListener('beforeunload', preventUnload)
}

/** Whether this page has answers that a reload would lose. */
export function isUnloadWarningActive(): boolean {
  return isActive
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
