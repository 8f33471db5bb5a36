import { useQuery } from '@tanstack/react-query'
import { type ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { type Services, useLoadedServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { useVerifiedContact, type VerifiedContact, verifiedValues } from './verified-contact.ts'

/**
 * `origin`: where the values come from: a draft that this device has saved, a draft that only this page has because the
 * storage failed, or the server. `lastKnown`: the draft that the form starts from.
 */
export type FormStart =
  | { kind: 'loading' }
  | { kind: 'failed'; retry: () => void }
  | { kind: 'ready'; values: FormValues; origin: FormOrigin; lastKnown: Draft }

export type FormOrigin = 'device' | 'page' | 'server'

/** Reads the draft of this device. Requests the server's copy only when the device has no draft (D30). */
export function useFormStart(appId: ApplicationId): FormStart {
  const services = useLoadedServices()
  const verifiedContact = useVerifiedContact()
  const draft = useQuery({
    queryKey: ['draft', appId],
    queryFn: () => readDraft(services, appId),
    networkMode: 'always',
    // The draft is read once per opening: after that, data flows only from the form to the store.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const stored = useQuery({ ...services.queries.applicationData(appId), enabled: draft.data === null })
  // A cached server copy must not replace a draft that is still being read.
  if (draft.data === undefined) return { kind: 'loading' }
  if (draft.data)
    return {
      kind: 'ready',
      values: startForm({ draft: draft.data.draft.values, stored: undefined, verifiedContact }),
      origin: draft.data.origin,
      lastKnown: draft.data.draft,
    }
  if (stored.data) {
    const values = startForm({ draft: undefined, stored: stored.data, verifiedContact })
    return { kind: 'ready', values, origin: 'server', lastKnown: initialDraft(stored.data, values) }
  }
  if (stored.isError && !stored.isFetching) return { kind: 'failed', retry: () => void stored.refetch() }
  return { kind: 'loading' }
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

/** The server's copy as the base of the first draft on this device. */
export function initialDraft(stored: ApplicationData, values: FormValues): Draft {
  const { version, epoch, additionalData } = stored
  const base = { version, epoch, additionalData, values: readStored(stored), at: 0 }
  return { values, tab: '', savedAt: 0, attempts: 0, notBefore: 0, base }
}

async function readDraft(
  services: Services,
  appId: ApplicationId,
): Promise<{ draft: Draft; origin: FormOrigin } | null> {
  try {
    const store = await services.openStore()
    const currentId = await services.sync.resolveId(appId)
    const draft = await store.drafts.read(currentId)
    // The applicant may have continued this application on another device.
    if (draft) services.sync.refresh(appId)
    const origin = store.drafts.unsavedIds().includes(currentId) ? 'page' : 'device'
    return draft ? { draft, origin } : null
  } catch {
    return null // Without a store there is no draft; the save status tells the applicant at the first save.
  }
}
