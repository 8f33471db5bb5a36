import { useIntl } from 'react-intl'
import { type Appointment, appointmentParts } from '#contract/appointment.ts'
import { formatDay } from '#i18n/format.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import styles from './schedule.module.css'

/** Where and when: the office, and the parts of the date or the general queue (APT18). */
export function ReservedPlace({ appointment }: { appointment: Appointment }) {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { appointmentDate, nameOffice, addressOffice, city, country } = appointment
  const town = [city, country].filter(Boolean).join(', ')
  return (
    <>
      <p className={styles.when}>
        <span className={styles.day}>
          {appointmentDate ? formatDay(appointmentDate, language) : t('appointment.generalQueue')}
        </span>
        {appointmentDate && <span className={styles.time}>{appointmentParts(appointmentDate).time}</span>}
      </p>
      <SummaryList
        rows={[
          { term: t('schedule.office'), value: [nameOffice, town].filter(Boolean).join(' – ') },
          { term: t('schedule.address'), value: addressOffice || t('appointment.addressUnknown') },
          ...dateRows(t, appointmentDate),
        ]}
      />
    </>
  )
}

function dateRows(t: Translate, appointmentDate: string | null | undefined) {
  if (!appointmentDate) return []
  const { year, month, day, time } = appointmentParts(appointmentDate)
  return [
    { term: t('schedule.year'), value: year },
    { term: t('schedule.month'), value: monthName(t, month) },
    { term: t('schedule.date'), value: day },
    { term: t('schedule.time'), value: time },
  ]
}

const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const

function monthName(t: Translate, month: string): string {
  const known = months.find(each => each === Number(month))
  return known ? t(`month.${known}`) : month
}
