import { type Appointment, appointmentParts } from '#contract/appointment.ts'
import { formatDay } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { appointmentRows } from '#summary/appointment-rows.ts'
import { useLoadedServices } from '#app/services.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import styles from './schedule.module.css'

/** The office, and the date and time or the general queue (APT18). A kiosk does not read them aloud (NAV30). */
export function ReservedPlace({ appointment }: { appointment: Appointment }) {
  const t = useText()
  const language = useLanguage()
  const isReadAloud = useLoadedServices().deviceUse.current().kind !== 'kiosk' || undefined
  const { appointmentDate } = appointment
  return (
    <>
      <p className={styles.when}>
        <span className={styles.day} data-listen={isReadAloud}>
          {appointmentDate ? formatDay(appointmentDate, language) : t('appointment.generalQueue')}
        </span>
        {appointmentDate && (
          <span className={styles.time} data-listen={isReadAloud}>
            {appointmentParts(appointmentDate).time}
          </span>
        )}
      </p>
      <SummaryList rows={appointmentRows(t, appointment)} isReadAloud={isReadAloud} />
    </>
  )
}
