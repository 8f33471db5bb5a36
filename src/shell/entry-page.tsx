import { Component, type ComponentType, type ReactNode } from 'react'
import { useServices } from '#app/services.ts'
import { FailureScreen } from './failure-screen.tsx'
import { HydratedScreen } from './hydrated-screen.tsx'
import { PortalFrame } from './portal-frame.tsx'

/** A page of the sign-in, as it is shown until the router shows a page (D114). */
export function EntryPage({ Screen }: { Screen: ComponentType }) {
  const { navigation } = useServices()
  return (
    <ErrorBoundary>
      <PortalFrame pathname={navigation.pathname()}>
        <HydratedScreen screen={<Screen />} />
      </PortalFrame>
    </ErrorBoundary>
  )
}

/** Shows `FailureScreen` after an uncaught error, as the router does on the other pages. */
class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <FailureScreen /> : this.props.children
  }
}
