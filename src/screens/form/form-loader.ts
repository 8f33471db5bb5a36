import { useQuery } from '@tanstack/react-query'
import type { ApplicationData, FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { type Services, useServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { startForm } from './form-start.ts'
import { useVerifiedContact } from './verified-contact.ts'

export type FormStart =
  | { kind: 'loading' }
  | { kind: 'failed'; retry: () => void }
  | { kind: 'ready'; values: FormValues; restored: boolean; lastKnown: Draft }

/** The form as it was left on this device; only where there is none, as the server has it. */
export function useFormStart(appId: ApplicationId): FormStart {
  const services = useServices()
  const verifiedContact = useVerifiedContact()
  const draft = useQuery({
    queryKey: ['draft', appId],
    queryFn: () => readDraft(services, appId),
    networkMode: 'always',
    // Read once each time the form is opened: from then on the form is the master (one way of data).
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const stored = useQuery({ ...services.queries.applicationData(appId), enabled: draft.data === null })
  // What the server was last known to have must not overtake what was typed here.
  if (draft.data === undefined) return { kind: 'loading' }
  if (draft.data)
    return {
      kind: 'ready',
      values: startForm({ draft: draft.data.values, stored: undefined, verifiedContact }),
      restored: true,
      lastKnown: draft.data,
    }
  if (stored.data) {
    const values = startForm({ draft: undefined, stored: stored.data, verifiedContact })
    return { kind: 'ready', values, restored: false, lastKnown: initialDraft(stored.data, values) }
  }
  if (stored.isError && !stored.isFetching) return { kind: 'failed', retry: () => void stored.refetch() }
  return { kind: 'loading' }
}

/** A form that was never touched here is what the server has. */
function initialDraft(stored: ApplicationData, values: FormValues): Draft {
  const { version, additionalData } = stored
  const base = { version, additionalData, values: readStored(stored), at: 0 }
  return { values, tab: '', savedAt: 0, attempts: 0, notBefore: 0, base }
}

async function readDraft(services: Services, appId: ApplicationId) {
  try {
    const store = await services.openStore()
    const draft = await store.drafts.read(await services.sync.resolveId(appId))
    // Another phone may have gone on with it meanwhile.
    if (draft) services.sync.refresh(appId)
    return draft ?? null
  } catch {
    return null // a browser that keeps nothing has nothing to give back; the line under the tabs will say so
  }
}
