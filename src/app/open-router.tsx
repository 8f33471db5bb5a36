import { RouterProvider } from '@tanstack/react-router'
import type { OpenedRouter } from './navigation.ts'
import { createPortalRouter } from './routes.tsx'
import type { Services } from './services.ts'
import { watchClock } from './watch-clock.ts'

/** Opens the router with all routes. This file is loaded on demand, because the entry pages are hydrated without it. */
export function openRouter(services: Services): OpenedRouter {
  const router = createPortalRouter(services)
  watchClock(services, router)
  return { router, element: <RouterProvider router={router} /> }
}
