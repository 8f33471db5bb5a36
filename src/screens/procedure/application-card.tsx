import { Link } from '@tanstack/react-router'
import { type ReactNode, useSyncExternalStore } from 'react'
import type { AnswerOutput } from '#contract/endpoints.ts'
import { type Destination, isOpen } from '#contract/states.ts'
import { unloadWarning } from '#device/unload-warning.ts'
import { formatDay } from '#i18n/format-date.ts'
import { stateText } from '#i18n/state-text.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { ApplicationNumber } from '#summary/application-number.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, linkButtonClass } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { VisuallyHidden } from '#ui/visually-hidden.tsx'
import { ApplicationPayments } from './application-payments.tsx'
import { CardFacts } from './card-facts.tsx'
import { cardStyleOf, unsentKey } from './card-style.ts'
import { isLocalApplication } from './local-applications.ts'
import styles from './application-card.module.css'

export type Application = AnswerOutput<'listApplications'>['data'][number]

export type ApplicationCardProps = {
  application: Application
  /** Called when the applicant opens a card whose state needs an appointment that the list does not contain (S49). */
  onMissingAppointment: () => void
  busy: boolean
}

/** One application. The whole card is clickable, unless the state has no destination (S48). */
export function ApplicationCard({
  application,
  onMissingAppointment,
  busy,
  children,
}: ApplicationCardProps & { children?: ReactNode }) {
  const t = useText()
  const { sync } = useServices()
  const status = useSyncExternalStore(sync.subscribe, () => sync.status(application.id))
  const { tone, destination, actionKey, oneStepLeft } = cardStyleOf(application.currentState, status)
  const isOnlyInPage = useSnapshot(unloadWarning.subscribe, () => unloadWarning.isFor(application.id))
  const unsent = unsentKey(status, application, isOnlyInPage)
  const name = <ApplicationName application={application} />
  const label = actionKey && (
    <span>
      <span data-listen>{t(actionKey)}</span>
      <span data-private>
        <VisuallyHidden> – {name}</VisuallyHidden>
      </span>
    </span>
  )
  return (
    <div className={styles.card} data-clickable={actionKey ? '' : undefined}>
      <Card
        heading={name}
        small={application.currentState === 'DELETED'}
        actions={
          label && (
            <>
              <Action {...{ application, destination, onMissingAppointment, busy }}>{label}</Action>
              {children}
            </>
          )
        }
      >
        <CardFacts application={application} status={status} />
        <p className={styles.hint} data-listen>
          <Badge tone={tone} text={stateText(t, application.currentState)} />
        </p>
        {unsent && <p className={styles.hint}>{t(unsent)}</p>}
        <DeletionDate application={application} />
        {oneStepLeft && (
          <p className={styles.hint} data-listen>
            {t('procedure.oneStepLeft')}
          </p>
        )}
        <ReceiptLink application={application} />
        <ApplicationPayments application={application} />
      </Card>
    </div>
  )
}

/** How the list names an application: by its number, which Listen does not read, or as one that has no number yet. */
export function ApplicationName({ application }: { application: Application }) {
  const t = useText()
  if (isLocalApplication(application)) return t('form.noNumber')
  return (
    <span data-private>
      <ApplicationNumber number={application.applicationNumber} />
    </span>
  )
}

/** The day on which the server deletes the application if nothing happens (F12). */
function DeletionDate({ application: { currentState, deletionDate } }: { application: Application }) {
  const t = useText()
  const language = useLanguage()
  if (!deletionDate) return null
  const text = isOpen(currentState) ? 'procedure.deletedUnpaid' : 'procedure.deletedNotEnrolled'
  return <p className={styles.hint}>{t(text, { date: formatDay(deletionDate, language) })}</p>
}

/** Opens the final page with the receipt shown, once there is an appointment. */
function ReceiptLink({ application }: { application: Application }) {
  const t = useText()
  const { id: appId, applicationNumber: appNumber, appointment, currentState } = application
  if (!appointment || cardStyleOf(currentState).destination !== 'final') return null
  return (
    <p className={styles.controls}>
      <Link
        to="/final/$appId/$appNumber/$appointmentId"
        params={{ appId, appNumber, appointmentId: appointment.id }}
        state={{ showsReceipt: true }}
      >
        {t('button.showReceipt')}
      </Link>
    </p>
  )
}

type ActionProps = ApplicationCardProps & { destination: Destination; children: ReactNode }

function Action({ application, destination, onMissingAppointment, busy, children }: ActionProps) {
  const { id: appId, applicationNumber: appNumber, appointment } = application
  const params = { appId, appNumber }
  const className = linkButtonClass('primary')
  switch (destination) {
    case 'form':
      return <Link {...{ to: '/form/$appId/$appNumber', params, className, children }} />
    case 'payment':
      return <Link {...{ to: '/payment/$appId/$appNumber', params, className, children }} />
    case 'appointment':
      return <Link {...{ to: '/appointment/$appId/$appNumber', params, className, children }} />
    case 'final':
      if (!appointment) return <Button {...{ busy, onClick: onMissingAppointment, children }} />
      return (
        <Link
          to="/final/$appId/$appNumber/$appointmentId"
          params={{ ...params, appointmentId: appointment.id }}
          className={className}
        >
          {children}
        </Link>
      )
    default:
      return null
  }
}
