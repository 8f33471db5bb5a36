import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '#app/lazy-part.ts'
import { useServices } from '#app/services.ts'
import type { OnResolved } from './conflict-form.tsx'
import { useFormParams } from './form-route.ts'

/** Loads only when there is a conflict, which is rare. */
const ConflictForm = lazyPart(async () => (await import('./conflict-form.tsx')).ConflictForm)

/** Re-renders when a conflict appears, changes or is resolved. Without a conflict a save does not re-render it. */
export function ConflictPanel({ onResolved }: { onResolved: OnResolved }) {
  const { appId } = useFormParams()
  const { sync } = useServices()
  const unresolved = useSyncExternalStore(sync.subscribe, () => {
    const status = sync.status(appId)
    return status.kind === 'conflict' ? status : undefined
  })
  return (
    unresolved && (
      <Suspense fallback={null}>
        <ConflictForm
          key={unresolved.draft.theirs?.version}
          unresolved={unresolved}
          onResolved={onResolved}
        />
      </Suspense>
    )
  )
}
