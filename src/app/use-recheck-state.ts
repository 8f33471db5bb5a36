import { useRouter } from '@tanstack/react-router'
import { useLoadedServices } from './services.ts'
import { useHasLeft } from './use-navigate-unless-left.ts'

/**
 * Returns a function to call after the server has refused an action: another device or the office may have changed the
 * state of the application since the page was opened. It lets the guard of the page read the state again, and resolves
 * to true when another page is open after that (S56, D129). Resolves to false also when the state could not be read, or
 * the applicant has opened another page before the guard runs.
 */
export function useRecheckState(): () => Promise<boolean> {
  const router = useRouter()
  const { queries, queryClient } = useLoadedServices()
  const hasLeft = useHasLeft()
  return async () => {
    // So that the guard does not take the state from the cached list.
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
    // The applicant has opened another page since the press, and the guard of that page has run.
    if (hasLeft()) return false
    await router.invalidate()
    return hasLeft()
  }
}
