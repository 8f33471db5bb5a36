import { useQuery } from '@tanstack/react-query'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { type Services, useServices } from '#portal/services.ts'
import { startForm } from './form-start.ts'
import { useProven } from './proven.ts'

export type FormStart =
  | { kind: 'loading' }
  | { kind: 'failed'; retry: () => void }
  | { kind: 'ready'; values: FormValues; restored: boolean }

/** The form as it was left on this device; only where there is none, as the server has it. */
export function useFormStart(appId: ApplicationId): FormStart {
  const services = useServices()
  const proven = useProven()
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
  if (draft.data)
    return {
      kind: 'ready',
      values: startForm({ draft: draft.data.values, stored: undefined, proven }),
      restored: true,
    }
  if (stored.data)
    return {
      kind: 'ready',
      values: startForm({ draft: undefined, stored: stored.data, proven }),
      restored: false,
    }
  if (stored.isError && !stored.isFetching) return { kind: 'failed', retry: () => void stored.refetch() }
  return { kind: 'loading' }
}

async function readDraft(services: Services, appId: ApplicationId) {
  try {
    const store = await services.openStore()
    return (await store.drafts.read(appId)) ?? null
  } catch {
    return null // a browser that keeps nothing has nothing to give back; the line under the tabs will say so
  }
}
