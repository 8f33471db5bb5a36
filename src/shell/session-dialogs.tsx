import { InactivityWarning } from './inactivity-warning.tsx'
import { LogoutDialog } from './logout-dialog.tsx'

/**
 * The dialogs of a session. Rendered when the first session of the page begins, and kept after its end.
 * A file of their own, because the sign-in pages load without them (D88).
 */
export function SessionDialogs() {
  return (
    <>
      <InactivityWarning />
      <LogoutDialog />
    </>
  )
}
