import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { UnreadablePanel } from '#summary/unreadable-panel.tsx'
import type { OnResolved } from './conflict-form.tsx'
import { useFormParams } from './form-route.ts'

/** Re-renders when a conflict appears, changes or is resolved. Without a conflict a save does not re-render it. */
export function ConflictPanel({ onResolved }: { onResolved: OnResolved }) {
  const t = useText()
  const { appId } = useFormParams()
  const { sync } = useServices()
  const unresolved = useSyncExternalStore(sync.subscribe, () => {
    const status = sync.status(appId)
    return status.kind === 'conflict' ? status : undefined
  })
  const form = useQuery({ ...conflictFormQuery, enabled: unresolved !== undefined })
  if (!unresolved) return null
  // The sync sends nothing until the applicant has chosen, so a choice that is not shown must not go unnoticed.
  if (form.isError)
    return <UnreadablePanel onRetry={() => void form.refetch()}>{t('form.choiceFailed')}</UnreadablePanel>
  return (
    form.data && (
      <form.data.ConflictForm
        key={unresolved.draft.theirs?.version}
        unresolved={unresolved}
        onResolved={onResolved}
      />
    )
  )
}

/** Loads only when there is a conflict, which is rare. */
const conflictFormQuery = queryOptions({
  queryKey: ['conflict-form'],
  queryFn: () => loadWithRetry(() => import('./conflict-form.tsx')),
  staleTime: Infinity,
  gcTime: Infinity,
})
