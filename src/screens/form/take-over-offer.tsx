import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import { useIntl } from 'react-intl'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { useText } from '#i18n/intl.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { today } from '#summary/today.ts'
import { SentenceAround } from '#ui/sentence-around.tsx'
import list from '#ui/summary-list.module.css'
import { useBeneficiary } from './beneficiary.tsx'
import { CopyOffers } from './copy-offers.tsx'
import { useApplicationForm } from './form-hooks.ts'
import { type PersonGroup, takeOverRepresentative } from './take-over-representative.ts'
import { takeOver, type TakenOver, type TakeOverGroup } from './take-over-rules.ts'

/** What an offer copies, named in the text of its button. */
type Group = TakeOverGroup | PersonGroup

export type TakeOverOfferProps = { earlier: { id: ApplicationId; applicationNumber: string } }

/** Offers the answers of this earlier application, if they would fill an empty field (FRM20). */
export function TakeOverOffer({ earlier }: TakeOverOfferProps) {
  const answers = useEarlierAnswers(earlier.id)
  const beneficiary = useBeneficiary()
  return (
    answers && (
      <Offer
        number={earlier.applicationNumber}
        earlier={answers}
        choose={given => takeOver({ ...given, beneficiary })}
      />
    )
  )
}

/** Offers the person of this earlier application as the representative (REP17). */
export function RepresentativeOffer({ earlier }: TakeOverOfferProps) {
  const answers = useEarlierAnswers(earlier.id)
  return (
    answers && <Offer number={earlier.applicationNumber} earlier={answers} choose={takeOverRepresentative} />
  )
}

/** The answers of an earlier application; undefined while they load and after a failed read, null when there are none. */
function useEarlierAnswers(id: ApplicationId): FormValues | null | undefined {
  const services = useLoadedServices()
  const answers = useQuery({
    queryKey: ['earlier-application', id],
    queryFn: () => readAnswers(services, id),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return answers.data
}

/**
 * Returns the form as the server stores it, or its cached copy. Without both, the draft or the last revision on this
 * device; null when there is none. @throws when the store cannot be opened or read: then nothing is offered.
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

type OfferProps = {
  number: string
  earlier: FormValues
  /** Chooses the answers that the button copies. */
  choose: (given: { earlier: FormValues; current: FormValues; today: string }) => TakenOver<Group>
}

function Offer({ number: earlierNumber, earlier, choose }: OfferProps) {
  const t = useText()
  const services = useLoadedServices()
  const form = useApplicationForm()
  const listGroups = useGroupList()
  // An applicant with two applications for children knows the names, not the numbers.
  const name = [earlier.surname, earlier.givenName].join(' ').trim()
  const number = (
    <>
      <span className={list.line}>{earlierNumber}</span>
      {name !== '' && ` – ${name}`}
    </>
  )
  useWatch<FormValues>()
  const { groups, answers } = choose({ earlier, current: form.getValues(), today: today(services) })
  const label = (
    <SentenceAround sentence={t('takeOver.button', { number: '\n', groups: listGroups(groups) })} part={'\n'}>
      <bdi>{number}</bdi>
    </SentenceAround>
  )
  const offer = {
    key: earlierNumber,
    label,
    done: <Done number={number} groups={groups} />,
    answers,
  }
  return <CopyOffers offers={groups.length > 0 ? [offer] : []} />
}

/** A component, because the language of the page may change after the press. */
function Done({ number, groups }: { number: ReactNode; groups: readonly Group[] }) {
  const t = useText()
  const sentence = t('takeOver.done', { number: '\n', groups: useGroupList()(groups) })
  return (
    <SentenceAround sentence={sentence} part={'\n'}>
      {number}
    </SentenceAround>
  )
}

function useGroupList(): (groups: readonly Group[]) => string {
  const t = useText()
  const intl = useIntl()
  return groups => intl.formatList(groups.map(group => t(`takeOver.${group}`)))
}
