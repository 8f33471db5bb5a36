import { RouterProvider } from '@tanstack/react-router'
import type { OpenedRouter } from './navigation.ts'
import { createPortalRouter } from './routes.tsx'
import type { Services } from './services.ts'

/** A file of its own with the router and all routes: the entry pages are hydrated without them. */
export function openRouter(services: Services): OpenedRouter {
  const router = createPortalRouter(services)
  return { router, element: <RouterProvider router={router} /> }
}
