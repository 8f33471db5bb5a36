import { InactivityWarning } from './inactivity-warning.tsx'
import { LogoutDialog } from './logout-dialog.tsx'

/**
 * The dialogs of a session: rendered from the first session of a page on, also after its end. A file of their own, because the
 * sign-in pages load without them (D88).
 */
export function SessionDialogs() {
  return (
    <>
      <InactivityWarning />
      <LogoutDialog />
    </>
  )
}
