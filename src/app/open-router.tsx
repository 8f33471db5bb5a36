import { RouterProvider } from '@tanstack/react-router'
import { isLocal } from '#sync/local-id.ts'
import type { OpenedRouter } from './navigation.ts'
import { createPortalRouter } from './routes.tsx'
import type { Services } from './services.ts'
import { watchClock } from './watch-clock.ts'

/** Opens the router with all routes. This file is loaded on demand, because the entry pages are hydrated without it. */
export function openRouter(services: Services): OpenedRouter {
  const router = createPortalRouter(services)
  watchClock(services, router)
  return {
    router,
    element: <RouterProvider router={router} />,
    onArrival(listener) {
      router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
        // The first screen is no arrival: there a screen reader begins at the top by itself.
        if (!fromLocation || !pathChanged) return
        if (!isSameForm(fromLocation.pathname, toLocation.pathname)) listener()
      })
    },
  }
}

/** Whether only the local id of the open form was replaced by the server's id: the same form stays open (D33). */
function isSameForm(from: string, to: string): boolean {
  const [, screen, id = '', , tab] = from.split('/')
  return screen === 'form' && isLocal(id) && to.startsWith('/form/') && to.endsWith(`/${tab}`)
}
