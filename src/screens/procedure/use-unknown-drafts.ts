import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ApplicationId } from '#contract/ids.ts'
import { ProblemError } from '#api/result.ts'
import { useLoadedServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { isLocal } from '#sync/local-id.ts'

/** First part of the key of the query that reads earlier answers without a draft. */
export const earlierQueryName = 'earlier-without-draft'

/** A draft on this device, and the id of its application. */
export type DeviceDraft = { applicationId: string; draft: Draft }

type Parts = {
  applicantId: string
  /** The list on the screen, which may come from this device; undefined without one. */
  list: readonly { id: ApplicationId }[] | undefined
}

/**
 * Returns the drafts whose applications the server does not know: it was restored from a backup or has deleted them
 * (D63). The shown list may be an older answer that this device has cached, so the hook asks the server once more when
 * that list lacks a draft. Without an answer it returns no drafts, because nothing is known about them.
 */
export function useUnknownDrafts({ applicantId, list }: Parts): DeviceDraft[] {
  const { call } = useLoadedServices()
  const onDevice = useDraftsOnDevice(applicantId)
  const unlisted = onDevice.filter(
    ({ applicationId }) => list && !isLocal(applicationId) && !list.some(({ id }) => id === applicationId),
  )
  const unlistedIds = unlisted.map(({ applicationId }) => applicationId)
  const { data: knownIds } = useQuery({
    // Another draft needs another answer: the server may have created its application after the last one.
    queryKey: ['known-applications', applicantId, unlistedIds],
    queryFn: async () => {
      const answer = await call('listApplications', { query: { applicantId } }, { background: true })
      if (!answer.ok) throw new ProblemError(answer.problem)
      return answer.value.data.map(({ id }): string => id)
    },
    enabled: unlistedIds.length > 0,
    staleTime: 0,
    gcTime: 0,
  })
  return knownIds ? unlisted.filter(({ applicationId }) => !knownIds.includes(applicationId)) : []
}

/** The drafts of this device, and the earlier answers of applications that have no draft. */
function useDraftsOnDevice(applicantId: string): DeviceDraft[] {
  const services = useLoadedServices()
  const { sync } = services
  const entries = useSyncExternalStore(sync.subscribe, sync.list)
  const drafts = entries.flatMap(({ applicationId, status }) =>
    'draft' in status ? [{ applicationId, draft: status.draft }] : [],
  )
  const draftIds = drafts.map(({ applicationId }) => applicationId)
  const { data: earlier = [] } = useQuery({
    queryKey: [earlierQueryName, applicantId, draftIds],
    queryFn: async () => (await services.openStore()).withoutDraft(),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  return [...drafts, ...earlier.filter(({ applicationId }) => !draftIds.includes(applicationId))]
}
