import { type Appointment, appointmentParts } from '#contract/appointment.ts'
import { type MessageKey, type Translate, useText } from '#i18n/intl.ts'
import { Section } from '#ui/page.tsx'
import { SummaryList, type SummaryRow } from '#ui/summary-list.tsx'

export function AppointmentSection({ appointment }: { appointment: Appointment }) {
  const t = useText()
  return (
    <Section id="appointment" heading={t('section.appointment')}>
      <SummaryList rows={appointmentRows(t, appointment)} />
    </Section>
  )
}

/** Office, year, month, date and time, or the general queue (FIN07–FIN09); what is empty is left out (FIN06). */
export function appointmentRows(t: Translate, appointment: Appointment): SummaryRow[] {
  const place = [
    { term: t('schedule.office'), value: appointment.nameOffice ?? '' },
    {
      term: t('schedule.address'),
      value: [appointment.addressOffice, appointment.city, appointment.country].filter(Boolean).join(', '),
    },
  ]
  return [...place, ...timeRows(t, appointment.appointmentDate)].filter(({ value }) => value !== '')
}

function timeRows(t: Translate, appointmentDate: string | null | undefined) {
  if (!appointmentDate) return [{ term: t('schedule.date'), value: t('appointment.generalQueue') }]
  const { year, month, day, time } = appointmentParts(appointmentDate)
  return [
    { term: t('schedule.year'), value: year },
    { term: t('schedule.month'), value: monthName(t, month) },
    { term: t('schedule.date'), value: day },
    { term: t('schedule.time'), value: time },
  ]
}

const monthKeys = [
  'month.1',
  'month.2',
  'month.3',
  'month.4',
  'month.5',
  'month.6',
  'month.7',
  'month.8',
  'month.9',
  'month.10',
  'month.11',
  'month.12',
] as const satisfies readonly MessageKey[]

function monthName(t: Translate, month: string): string {
  const key = monthKeys[Number(month) - 1]
  return key ? t(key) : month
}
