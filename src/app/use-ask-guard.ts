import { useRouter } from '@tanstack/react-router'
import { useLoadedServices } from './services.ts'
import { useHasLeft } from './use-navigate-unless-left.ts'

/**
 * Returns a function for an action that the server has refused: another device or the office may have changed the state of
 * the application since the page was opened. It lets the guard of the page read the state again, and resolves to whether
 * the guard has opened another page (S56, D129).
 */
export function useAskGuard(): () => Promise<boolean> {
  const router = useRouter()
  const { queries, queryClient } = useLoadedServices()
  const hasLeft = useHasLeft()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
    // The page that the applicant has opened during the call has asked its own guard.
    if (hasLeft()) return false
    await router.invalidate()
    return hasLeft()
  }
}
