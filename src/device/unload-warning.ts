import { createObservable } from './observable.ts'

/** The applications of which only this page has answers: neither saved nor sent. Global, as a page has one warning. */
const onlyInPage = createObservable<readonly string[]>([])

export const unloadWarning = {
  /** Whether this page has answers that a reload would lose. */
  state: () => onlyInPage.state().length > 0,
  /** Whether this page has such answers of this application. */
  isFor: (applicationId: string) => onlyInPage.state().includes(applicationId),
  subscribe: onlyInPage.subscribe,
}

/** While there are such applications, the browser asks before it closes or reloads the page (not on iOS). */
export function setOnlyInPage(applicationIds: readonly string[]): void {
  onlyInPage.setState(applicationIds)
  if (applicationIds.length > 0) addEventListener('beforeunload', preventUnload)
  else removeEventListener('beforeunload', preventUnload)
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
