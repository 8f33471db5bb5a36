import { destinationOf, isOpen } from '#contract/states.ts'
import { reasons } from '#contract/codes.ts'
import type { Translate } from '#i18n/intl.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import type { Application } from './application-card.tsx'
import styles from './application-card.module.css'

type CardFactsProps = { application: Application; status: SyncStatus }

/** The person, the reason and the appointment of an application, as far as the device or the server knows them. */
export function CardFacts({ application, status }: CardFactsProps) {
  const t = useText()
  const { name, reason } = answersOf(application, status)
  return (
    <>
      {name !== '' && (
        <p className={styles.name}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
      )}
      {reason !== '' && (
        <p className={styles.hint}>
          {t('procedure.answerLine', { label: t('field.reason'), value: reasonText(t, reason) })}
        </p>
      )}
      <BookedAppointment application={application} />
    </>
  )
}

function BookedAppointment({ application: { appointment, currentState } }: { application: Application }) {
  const t = useText()
  const language = useLanguage()
  // Another back end sends only the id, so the date is undefined. A null is the general queue, which is shown.
  if (appointment?.appointmentDate === undefined || destinationOf(currentState) !== 'final') return null
  const { appointmentDate, office } = appointment
  return (
    <p className={styles.hint}>
      <strong className="day-line">{appointmentText(t, appointmentDate, language)}</strong>
      {office?.[language]}
    </p>
  )
}

/** While the state of the application is open, the draft on this device counts, because it may have newer answers. */
function answersOf({ currentState, person, reason }: Application, status: SyncStatus) {
  const draft = 'draft' in status && isOpen(currentState) ? status.draft.values : undefined
  const { surname, givenName } = draft ?? person ?? { surname: '', givenName: '' }
  return { name: `${surname} ${givenName}`.trim(), reason: draft?.reason ?? reason ?? '' }
}

/** A code that the portal does not know is shown as it is. */
function reasonText(t: Translate, code: string): string {
  const known = reasons.find(reason => reason === code)
  return known ? t(`reason.${known}`) : code
}
