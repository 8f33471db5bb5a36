import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { lazyPart } from '#app/lazy-part.tsx'
import { useLoadedServices } from '#app/services.ts'
import { findEarlier } from './find-earlier.ts'
import { useFormParams } from './form-route.ts'

/** Loads only for an applicant with an earlier application, which is rare. */
const TakeOverOffer = lazyPart('take-over', async () => (await import('./take-over-offer.tsx')).TakeOverOffer)
const RepresentativeOffer = lazyPart(
  'representative',
  async () => (await import('./take-over-offer.tsx')).RepresentativeOffer,
)

/** Offers to copy answers of an earlier application of the same account; on the Person and the Parent tab (FRM20). */
export function TakeOverFromEarlier() {
  return <OfferFromEarlier Offer={TakeOverOffer} />
}

/** Offers the person of an earlier application as the representative of a child; on the Parent tab (REP17). */
export function RepresentativeFromEarlier() {
  return <OfferFromEarlier Offer={RepresentativeOffer} />
}

function OfferFromEarlier({ Offer }: { Offer: typeof TakeOverOffer }) {
  const earlier = useEarlier()
  return earlier && <Offer key={earlier.id} earlier={earlier} />
}

/** Returns the earlier application whose answers the form may copy; undefined without one. */
function useEarlier() {
  const services = useLoadedServices()
  const { appId } = useFormParams()
  const { session } = services
  const applicantId = useSyncExternalStore(session.subscribe, session.signedInId) ?? ''
  // The guard of this page has read the list, so this query finds it in the cache.
  const list = useQuery({
    ...services.queries.applications(applicantId),
    enabled: applicantId !== '',
    staleTime: Infinity,
  })
  return findEarlier(list.data ?? [], services.sync.serverIdOf(appId))
}
