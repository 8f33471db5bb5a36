import { useSyncExternalStore } from 'react'
import { lazyPart } from '#app/lazy-part.tsx'
import { useServices } from '#app/services.ts'
import type { OnResolved } from './conflict-form.tsx'
import { useFormParams } from './form-route.ts'

/**
 * Loads only when there is a conflict, which is rare. Until the applicant has chosen, the sync begins no new write, so
 * the screen says when it cannot show the choice.
 */
const ConflictForm = lazyPart('conflict', async () => (await import('./conflict-form.tsx')).ConflictForm, {
  failed: 'form.choiceFailed',
})

/** Re-renders when a conflict appears, changes or is resolved. Without a conflict a save does not re-render it. */
export function ConflictPanel({ onResolved }: { onResolved: OnResolved }) {
  const { appId } = useFormParams()
  const { sync } = useServices()
  const unresolved = useSyncExternalStore(sync.subscribe, () => {
    const status = sync.status(appId)
    return status.kind === 'conflict' ? status : undefined
  })
  if (!unresolved) return null
  return (
    <ConflictForm key={unresolved.draft.theirs?.version} unresolved={unresolved} onResolved={onResolved} />
  )
}
