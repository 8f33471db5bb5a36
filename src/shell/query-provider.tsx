import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useLoadedServices } from '#app/services.ts'
import { useListOnBack } from './use-list-on-back.ts'

/**
 * Provides TanStack Query to every screen that needs a session. On these screens, Back in the browser opens the list where it
 * would open a form of the sign-in.
 */
export function QueryProvider() {
  const { queries, queryClient } = useLoadedServices()
  useEffect(
    () =>
      focusManager.subscribe(isFocused => {
        if (isFocused) void queries.readAtReturn(queryClient)
      }),
    [queries, queryClient],
  )
  useListOnBack()
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
    </QueryClientProvider>
  )
}
