import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useServices } from '#app/services.ts'

/** Around every screen that asks for more than the sign-in pages do. */
export function QueryProvider() {
  return (
    <QueryClientProvider client={useServices().queryClient}>
      <Outlet />
    </QueryClientProvider>
  )
}
