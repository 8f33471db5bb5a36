import type { QueryKey } from '@tanstack/react-query'
import { useLoadedServices } from './services.ts'
import { useHasLeft } from './use-navigate-unless-left.ts'

/**
 * Returns a function that invalidates the queries with these keys after an action has changed their answers. The page
 * that the action opens then reads them. If the applicant has opened another page during the call, that page may show
 * the old answers: only then they are refetched at once.
 */
export function useInvalidate(): (queryKeys: readonly QueryKey[]) => Promise<void> {
  const { queryClient } = useLoadedServices()
  const hasLeft = useHasLeft()
  return async queryKeys => {
    for (const queryKey of queryKeys)
      await queryClient.invalidateQueries({ queryKey, refetchType: hasLeft() ? 'active' : 'none' })
  }
}
