import { useQuery } from '@tanstack/react-query'
import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react'
import type { ApplicationId } from '#contract/ids.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useLoadedServices } from '#app/services.ts'
import type { LostStepPanelProps } from './lost-step-panel.tsx'

/** Loads only after a restore that has lost something, which is rare. If the load fails, the rest of the page stays usable. */
const LostStepPanel = lazy(() => loadPanel().then(component => ({ default: component })))

async function loadPanel(): Promise<ComponentType<LostStepPanelProps>> {
  try {
    return (await loadWithRetry(() => import('./lost-step-panel.tsx'))).LostStepPanel
  } catch {
    return () => null
  }
}

/**
 * Lists what the server lost in a restore from a backup (D62): payments, bookings, and changes and cancellations of bookings, of
 * `appId` or of all applications.
 */
export function LostSteps({ appId }: { appId?: ApplicationId }) {
  const { queries, session } = useLoadedServices()
  const applicantId = useSyncExternalStore(session.subscribe, session.signedInId) ?? ''
  const { data = [] } = useQuery({ ...queries.lostSteps(applicantId), enabled: applicantId !== '' })
  const shown = data.filter(({ id }) => appId === undefined || id === appId)
  return (
    <Suspense>
      {shown.map(step => (
        <LostStepPanel key={step.id} step={step} applicantId={applicantId} />
      ))}
    </Suspense>
  )
}
