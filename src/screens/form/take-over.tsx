import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useWatch } from 'react-hook-form'
import { useIntl } from 'react-intl'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { useText } from '#i18n/intl.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { useBeneficiary } from './beneficiary.tsx'
import { CopyOffers } from './copy-offers.tsx'
import { useApplicationForm } from './form-hooks.ts'
import { useFormParams } from './form-route.ts'
import { findEarlier, takeOver, type TakeOverGroup } from './take-over-rules.ts'
import { today } from './today.ts'

/** Offers the answers of an earlier application of the same account, if they would fill an empty field (FRM20). */
export function TakeOver() {
  const services = useLoadedServices()
  const { appId } = useFormParams()
  const session = useSyncExternalStore(services.session.subscribe, services.session.state)
  const applicantId = session.kind === 'signed-in' ? session.claims.applicantId : ''
  // The guard of this page has read the list, so this query finds it in the cache.
  const list = useQuery({
    ...services.queries.applications(applicantId),
    enabled: applicantId !== '',
    staleTime: Infinity,
  })
  const earlier = findEarlier(list.data ?? [], services.sync.serverIdOf(appId))
  const answers = useQuery({
    queryKey: ['earlier-answers', earlier?.id],
    queryFn: () => (earlier ? readAnswers(services, earlier.id) : null),
    enabled: earlier !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  if (!earlier || !answers.data) return null
  return <Offer number={earlier.applicationNumber} earlier={answers.data} />
}

/**
 * Returns the form as the server stores it, or its cached copy. Without both, the draft or the last revision on this
 * device; null when there is none.
 */
async function readAnswers(services: LoadedServices, id: ApplicationId): Promise<FormValues | null> {
  const { queries, queryClient } = services
  const stored = queryClient.fetchQuery(queries.applicationData(id, { background: true }))
  const data = await stored.catch(() => undefined)
  if (data) return readStored(data)
  const store = await services.openStore()
  const draft = await store.drafts.read(id)
  const saved = draft ?? (await store.withoutDraft()).find(({ applicationId }) => applicationId === id)?.draft
  return saved?.values ?? null
}

function Offer({ number, earlier }: { number: string; earlier: FormValues }) {
  const t = useText()
  const services = useLoadedServices()
  const form = useApplicationForm()
  const beneficiary = useBeneficiary()
  const listGroups = useGroupList()
  useWatch<FormValues>()
  const { groups, answers } = takeOver({
    earlier,
    present: form.getValues(),
    beneficiary,
    today: today(services),
  })
  const offer = {
    label: t('takeOver.button', { number, groups: listGroups(groups) }),
    done: <Done number={number} groups={groups} />,
    answers,
  }
  return <CopyOffers offers={groups.length > 0 ? [offer] : []} />
}

/** In the language of the page, which may change after the press. */
function Done({ number, groups }: { number: string; groups: readonly TakeOverGroup[] }) {
  const t = useText()
  return t('takeOver.done', { number, groups: useGroupList()(groups) })
}

function useGroupList(): (groups: readonly TakeOverGroup[]) => string {
  const t = useText()
  const intl = useIntl()
  return groups => intl.formatList(groups.map(group => t(`takeOver.${group}`)))
}
