import { useSyncExternalStore } from 'react'
import { useServices } from '#app/services.ts'
import type { VerifiedContact } from './form-start.ts'

/** The contact that sign-in proved (PER14, S04). */
export function useVerifiedContact(): VerifiedContact {
  const { session } = useServices()
  const state = useSyncExternalStore(
    listener => session.subscribe(listener),
    () => session.state(),
  )
  if (state.kind === 'signed-out') return { msisdn: '', email: '' }
  return { msisdn: state.claims.msisdn ?? '', email: state.claims.email ?? '' }
}
