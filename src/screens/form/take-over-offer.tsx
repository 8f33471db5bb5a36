import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useIntl } from 'react-intl'
import type { FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { readStored } from '#contract/stored-form.ts'
import { useText } from '#i18n/intl.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { useBeneficiary } from './beneficiary.tsx'
import { type FormMethods, useApplicationForm } from './form-hooks.ts'
import styles from './spaced-button.module.css'
import { takeOver, type TakeOverGroup } from './take-over-rules.ts'
import { today } from './today.ts'

export type TakeOverOfferProps = { earlier: { id: ApplicationId; applicationNumber: string } }

/** Offers the answers of this earlier application, if they would fill an empty field (FRM20). */
export function TakeOverOffer({ earlier: { id, applicationNumber } }: TakeOverOfferProps) {
  const services = useLoadedServices()
  const answers = useQuery({
    queryKey: ['earlier-answers', id],
    queryFn: () => readAnswers(services, id),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return answers.data ? <Offer number={applicationNumber} earlier={answers.data} /> : null
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

type Taken = { groups: readonly TakeOverGroup[]; answers: Partial<FormValues>; before: FormValues }

function Offer({ number, earlier }: { number: string; earlier: FormValues }) {
  const t = useText()
  const intl = useIntl()
  const services = useLoadedServices()
  const form = useApplicationForm()
  const beneficiary = useBeneficiary()
  const [taken, setTaken] = useState<Taken>()
  const button = useRef<HTMLButtonElement>(null)
  const movesFocus = useRef(false)
  useWatch<FormValues>()
  const present = form.getValues()
  const offer = takeOver({ earlier, present, beneficiary, today: today(services) })
  useEffect(() => {
    // The offer and Undo replace each other, so the focus moves to the new button.
    if (movesFocus.current) button.current?.focus()
    movesFocus.current = false
  })
  const nameOf = (groups: readonly TakeOverGroup[]) =>
    intl.formatList(groups.map(group => t(`takeOver.${group}`)))

  function take() {
    movesFocus.current = true
    setTaken({ ...offer, before: { ...present } })
    write(form, offer.answers)
  }

  function undo({ answers, before }: Taken) {
    movesFocus.current = true
    setTaken(undefined)
    // A field that the applicant has edited since keeps its value.
    const unchanged = entriesOf(answers).filter(([field, answer]) => form.getValues(field) === answer)
    write(form, Object.fromEntries(unchanged.map(([field]) => [field, before[field]])))
  }

  if (taken)
    return (
      <Panel tone="success" announce>
        <p data-private>{t('takeOver.done', { number, groups: nameOf(taken.groups) })}</p>
        <Button ref={button} variant="quiet" onClick={() => undo(taken)}>
          {t('takeOver.undo')}
        </Button>
      </Panel>
    )
  if (offer.groups.length === 0) return null
  return (
    <div className={styles.place}>
      <Button ref={button} variant="secondary" onClick={take}>
        {t('takeOver.button', { number, groups: nameOf(offer.groups) })}
      </Button>
    </div>
  )
}

/** Writes the answers and marks their fields as touched, so that the form shows their issues. */
function write(form: FormMethods, answers: Partial<FormValues>): void {
  for (const [field, answer] of entriesOf(answers)) form.setValue(field, answer, { shouldTouch: true })
}

function entriesOf(answers: Partial<FormValues>) {
  return Object.entries(answers) as [keyof FormValues, string][] // the keys are those of the form
}
