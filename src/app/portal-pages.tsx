import { type ComponentType, useEffect } from 'react'
import { FailureScreen } from '#shell/failure-screen.tsx'
import { EntryPage } from '#shell/entry-page.tsx'
import { watchNavigation } from '#shell/watch-navigation.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { useServices } from './services.ts'

/**
 * Shows the entry page until the router shows its page. When there is neither, the file of the router did not load:
 * shows the failure.
 */
export function PortalPages({ Screen }: { Screen: ComponentType | undefined }) {
  const { navigation, notices } = useServices()
  const shown = useSnapshot(navigation.subscribe, navigation.shown)

  // The browser's history and the moves of the router are outside React.
  useEffect(() => watchNavigation(navigation, notices), [navigation, notices])

  if (shown) return shown
  return Screen ? <EntryPage Screen={Screen} /> : <FailureScreen />
}
