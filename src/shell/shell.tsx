import { Outlet, useLocation } from '@tanstack/react-router'
import { PortalFrame } from './portal-frame.tsx'

/** The frame around every screen of the router. */
export function Shell() {
  return (
    <PortalFrame pathname={useLocation({ select: location => location.pathname })}>
      <Outlet />
    </PortalFrame>
  )
}
