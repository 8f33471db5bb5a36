import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { readAtReturn } from '#api/read-at-return.ts'
import { useLoadedServices } from '#app/services.ts'

/** Provides TanStack Query to every screen that needs a session. */
export function QueryProvider() {
  const { queryClient } = useLoadedServices()
  useEffect(
    () =>
      focusManager.subscribe(isFocused => {
        if (isFocused) readAtReturn(queryClient)
      }),
    [queryClient],
  )
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
    </QueryClientProvider>
  )
}
