import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ApplicationId } from '#contract/ids.ts'
import { lazyPart } from '#app/lazy-part.tsx'
import { useLoadedServices } from '#app/services.ts'

/** Loads only when a lost step is shown. */
const LostStepPanel = lazyPart('lost-step', async () => (await import('./lost-step-panel.tsx')).LostStepPanel)

/**
 * Lists what the server lost in a restore from a backup (D62): payments, bookings, and changes and cancellations of
 * bookings, of `appId` or of all applications. There is at most one lost step for each application, with its id.
 */
export function LostSteps({ appId }: { appId?: ApplicationId }) {
  const { queries, session } = useLoadedServices()
  const applicantId = useSyncExternalStore(session.subscribe, session.signedInId) ?? ''
  const { data = [] } = useQuery({ ...queries.lostSteps(applicantId), enabled: applicantId !== '' })
  const shown = data.filter(({ id }) => appId === undefined || id === appId)
  return shown.map(step => <LostStepPanel key={step.id} step={step} applicantId={applicantId} />)
}
