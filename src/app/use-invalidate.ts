import type { QueryKey } from '@tanstack/react-query'
import { useLoadedServices } from './services.ts'
import { useHasLeft } from './use-navigate-unless-left.ts'

/**
 * Returns a function that invalidates the queries with these keys after an action has changed their answers. The page that
 * the action opens reads them when it opens, but a page that the applicant has opened during the call may show them
 * already: only then they are refetched at once.
 */
export function useInvalidate(): (queryKeys: readonly QueryKey[]) => Promise<void> {
  const { queryClient } = useLoadedServices()
  const hasLeft = useHasLeft()
  return async queryKeys => {
    for (const queryKey of queryKeys)
      await queryClient.invalidateQueries({ queryKey, refetchType: hasLeft() ? 'active' : 'none' })
  }
}
