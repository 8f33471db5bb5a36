import { useRouter } from '@tanstack/react-router'
import { useLoadedServices } from './services.ts'
import { useHasLeft } from './use-navigate-unless-left.ts'

/**
 * Returns a function to call after the server has refused an action: another device or the office may have changed the
 * state of the application since the page was opened. The function lets the guard of the page read the state again, and
 * resolves to true when another page is open after the guard (S56, D129). It resolves to false when the page stays
 * open, also because the state could not be read, and when the applicant has left the page before the guard.
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
