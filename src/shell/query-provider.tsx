import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useLoadedServices } from '#app/services.ts'

/** Provides TanStack Query to every screen that needs a session. */
export function QueryProvider() {
  return (
    <QueryClientProvider client={useLoadedServices().queryClient}>
      <Outlet />
    </QueryClientProvider>
  )
}
