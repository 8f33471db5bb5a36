import { isOpen } from '#contract/states.ts'

/** One open application at a time (LST07); a failed, deleted or unknown one is not open (S48). */
export function mayStartNew(applications: readonly { currentState: string }[]): boolean {
  return !applications.some(({ currentState }) => isOpen(currentState))
}
