import { createObservable } from './observable.ts'

/** Global, as a page has one warning. */
const warning = createObservable(false)

/** Whether this page has answers that a reload would lose. */
export const unloadWarning = { state: warning.state, subscribe: warning.subscribe }

/** While it is active, the browser asks before it closes or reloads the page (not on iOS). */
export function setUnloadWarning(active: boolean): void {
  if (active === warning.state()) return
  warning.setState(active)
  if (active) addEventListener('beforeunload', preventUnload)
  else removeEventListener('beforeunload', preventUnload)
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
