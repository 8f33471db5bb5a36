import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { type ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { type LoadedServices, type Services, useLoadedServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { useVerifiedContact, type VerifiedContact, verifiedValues } from './verified-contact.ts'

/**
 * `origin`: where the values come from: a draft that this device has saved, a draft that only this page has because the
 * storage failed, or the server. `lastKnown`: the draft that the form starts from. `mayMissDraft`: the device may have
 * a draft that it could not read when the form started (D74). `isUnreadable`: it may have one that it cannot read now.
 * `isRetry`: an earlier load has failed. `deleted`: this device has no draft that it can read, and the server says that
 * the application is deleted: the list that the guard has read was older (S56).
 */
export type FormStart =
  | { kind: 'loading'; isRetry: boolean }
  | { kind: 'failed'; retry: () => void; isUnreadable: boolean }
  | { kind: 'deleted' }
  | { kind: 'ready'; values: FormValues; origin: FormOrigin; lastKnown: Draft; mayMissDraft: boolean }

export type FormOrigin = 'device' | 'page' | 'server'

/**
 * Reads the draft of this device. Waits for the server's copy only when the device has no draft that it can read (D30):
 * otherwise the sync reads that copy later and merges it.
 */
export function useFormStart(appId: ApplicationId): FormStart {
  const services = useLoadedServices()
  const verifiedContact = useVerifiedContact()
  const isUnreadable = useSyncExternalStore(
    services.sync.subscribe,
    () => services.sync.status(appId).kind === 'unreadable',
  )
  const source = useQuery(formStartQuery(services, appId))
  if (!source.data) {
    const isFailed = source.isError && !source.isFetching
    return isFailed
      ? { kind: 'failed', retry: () => void source.refetch(), isUnreadable }
      : { kind: 'loading', isRetry: source.errorUpdateCount > 0 }
  }
  const { draft, origin, stored, mayMissDraft } = source.data
  if (stored?.currentState === 'DELETED') return { kind: 'deleted' }
  const values = startForm({ draft: draft?.values, stored, verifiedContact })
  return { kind: 'ready', values, origin, lastKnown: draft ?? initialDraft(stored, values), mayMissDraft }
}

/** The query for where the values of the form come from. */
export function formStartQuery(services: LoadedServices, appId: ApplicationId) {
  return queryOptions({
    queryKey: ['form-start', appId],
    queryFn: () => readSource(services, appId),
    // Read once per opening: later changes of the draft reach the form through `draft-sync.ts`.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
}

/** Returns the draft's values, else the server's, else a new form (D30); the verified contact replaces theirs. */
export function startForm({
  draft,
  stored,
  verifiedContact,
}: {
  draft: FormValues | undefined
  stored: ApplicationData | undefined
  verifiedContact: VerifiedContact
}): FormValues {
  return { ...(draft ?? (stored ? readStored(stored) : emptyForm())), ...verifiedValues(verifiedContact) }
}

/**
 * The draft that a form starts from when this device has none: `values` over the server's copy as `base`. Its time `base.at`
 * is 0, because it is not known when this device received that copy.
 */
export function initialDraft(stored: ApplicationData, values: FormValues): Draft {
  const { version, epoch, additionalData } = stored
  const base = { version, epoch, additionalData, values: readStored(stored), at: 0 }
  return { values, tab: '', savedAt: 0, attempts: 0, notBefore: 0, base }
}

type Source = { mayMissDraft: boolean } & (
  | { origin: 'device' | 'page'; draft: Draft; stored?: undefined }
  | { origin: 'server'; draft?: undefined; stored: ApplicationData }
)

/**
 * Reads the draft of this device. If there is none, reads the server's copy (`stored`), and then the draft again: during that
 * request the sync may have moved a draft to this application, or another tab may have saved one.
 * @throws ProblemError when the device has no draft that it can read, and the server's copy cannot be read
 */
async function readSource(
  services: LoadedServices,
  appId: ApplicationId,
  stored?: ApplicationData,
): Promise<Source> {
  const { draft, origin, mayMissDraft } = await readDraft(services, appId)
  if (draft) return { draft, origin, mayMissDraft: false }
  if (stored) return { origin: 'server', stored, mayMissDraft }
  const { queries, queryClient } = services
  return readSource(services, appId, await queryClient.fetchQuery(queries.applicationData(appId)))
}

async function readDraft(
  services: Services,
  appId: ApplicationId,
): Promise<{ draft: Draft | undefined; origin: 'device' | 'page'; mayMissDraft: boolean }> {
  try {
    const store = await services.openStore()
    const currentId = await services.sync.resolveId(appId)
    const status = await services.sync.read(currentId, { waitsForServer: false })
    const draft = 'draft' in status ? status.draft : undefined
    // The applicant may have continued this application on another device.
    if (draft) services.sync.refresh(currentId)
    const origin = store.drafts.unsavedIds().includes(currentId) ? 'page' : 'device'
    return { draft, origin, mayMissDraft: status.kind === 'unreadable' }
  } catch {
    // The code of the store did not load: this page reads no draft, and says at the first save that it cannot save.
    return { draft: undefined, origin: 'device', mayMissDraft: false }
  }
}
