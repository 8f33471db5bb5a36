import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { ApplicationId } from '#contract/ids.ts'
import { ProblemError } from '#api/result.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { isLocal } from '#sync/local-id.ts'
import { doNothing } from '#device/do-nothing.ts'
import { isGone, isListed } from './requested-deletions.ts'

/** First part of a query key. The query reads the requested deletions, and earlier answers where there is no draft. */
export const earlierQueryName = 'earlier-without-draft'

/** A draft on this device, and the id of its application. */
export type DeviceDraft = { applicationId: string; draft: Draft }

/** `draft`: undefined when the device cannot decrypt it (D74). */
export type UnknownDraft = { applicationId: string; draft: Draft | undefined }

type Parts = {
  applicantId: string
  /** The list on the screen, which may come from this device; undefined without one. */
  list: readonly { id: ApplicationId; currentState: string }[] | undefined
}

/**
 * Returns the drafts whose applications the server does not know: it was restored from a backup or has deleted them
 * (D63). The shown list may be an older answer that this device has cached, so the hook asks the server once more when
 * the application of a draft or of a requested deletion is missing or deleted in that list. Without an answer it
 * returns no drafts, because nothing is known about them. With the answer it also finishes the deletions whose answer
 * this device never got (LST15).
 */
export function useUnknownDrafts({ applicantId, list }: Parts): UnknownDraft[] {
  const services = useLoadedServices()
  const { drafts, requestedIds, idsOfEarlierPages } = useDraftsOnDevice(applicantId)
  const draftIds = drafts.map(({ applicationId }) => applicationId)
  const goneIds = [...new Set([...draftIds, ...requestedIds])].filter(
    id => list && !isLocal(id) && isGone(list, id),
  )
  const { data: known } = useQuery({
    // With the ids, because an application of a new draft may be newer than the last answer.
    queryKey: ['known-applications', applicantId, goneIds],
    queryFn: () => readKnownApplications(services, applicantId),
    enabled: goneIds.length > 0,
    staleTime: 0,
    gcTime: 0,
  })
  useFollowUp(applicantId, list ? idsOfEarlierPages.filter(id => isListed(list, id)) : [])
  return known
    ? drafts.filter(({ applicationId }) => goneIds.includes(applicationId) && isGone(known, applicationId))
    : []
}

/**
 * Reads the list again and finishes requested deletions. The answer may arrive after the log-out: the list of one applicant
 * must not decide about the drafts of the next one.
 * @throws ProblemError without an answer, or after the end of the session
 */
async function readKnownApplications(services: LoadedServices, applicantId: string) {
  const hasEnded = services.session.watchEnd()
  const answer = await services.call('listApplications', { query: { applicantId } }, { background: true })
  if (!answer.ok) throw new ProblemError(answer.problem)
  const listed = answer.value.data
  // When the storage or the load fails, a later visit finishes the deletions.
  await loadFollowUp()
    .then(({ finishRequestedDeletions }) => finishRequestedDeletions(services, listed, hasEnded))
    .catch(doNothing)
  return listed
}

/** Asks the server what has become of the deletions that another tab, or this one before a reload, has requested (LST18). */
function useFollowUp(applicantId: string, ids: readonly string[]) {
  const services = useLoadedServices()
  useQuery({
    queryKey: ['deletions-of-earlier-pages', applicantId, ids],
    // When the storage or the load fails, a later page follows up.
    queryFn: () => {
      const hasEnded = services.session.watchEnd()
      return loadFollowUp()
        .then(({ followUpDeletions }) => followUpDeletions(services, applicantId, hasEnded))
        .catch(doNothing)
        .then(() => true)
    },
    enabled: ids.length > 0,
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  })
}

type OnDevice = {
  /** The drafts of this device, and for each application without one the newest answers that were saved before (D63). */
  drafts: UnknownDraft[]
  /** The applications that the applicant has asked to delete and has not typed in since. */
  requestedIds: readonly string[]
  /** Those of `requestedIds` whose deletion another tab, or this one before a reload, has requested. */
  idsOfEarlierPages: readonly string[]
}

function useDraftsOnDevice(applicantId: string): OnDevice {
  const services = useLoadedServices()
  const { sync } = services
  const entries = useSyncExternalStore(sync.subscribe, sync.list)
  const drafts = entries.flatMap(({ applicationId, status }): UnknownDraft[] => {
    if ('draft' in status) return [{ applicationId, draft: status.draft }]
    const isDamaged = status.kind === 'unreadable' && status.fault === 'unreadable'
    return isDamaged ? [{ applicationId, draft: undefined }] : []
  })
  const draftIds = drafts.map(({ applicationId }) => applicationId)
  const { data } = useQuery({
    queryKey: [earlierQueryName, applicantId, draftIds],
    queryFn: async () => {
      const store = await services.openStore()
      return {
        earlier: await store.withoutDraft(),
        requestedIds: await store.deletionRequests.unchangedIds(),
        idsOfEarlierPages: await store.deletionRequests.idsOfEarlierPages(),
      }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const { earlier = [], requestedIds = [], idsOfEarlierPages = [] } = data ?? {}
  return {
    drafts: [...drafts, ...earlier.filter(({ applicationId }) => !draftIds.includes(applicationId))],
    requestedIds,
    idsOfEarlierPages,
  }
}

/**
 * Called only when an application of this device is missing or deleted in the shown list, or when that list has one
 * whose deletion an earlier page or another tab has requested. Both are rare.
 */
function loadFollowUp() {
  return loadWithRetry(() => import('./follow-up-deletions.ts'))
}
