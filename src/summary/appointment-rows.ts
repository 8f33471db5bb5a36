import { type Appointment, appointmentParts, officeWithTown } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { formatDay } from '#i18n/format-date.ts'
import type { Translate } from '#i18n/intl.ts'
import type { SummaryRow } from '#ui/summary-list.tsx'

/** Returns the rows that have a value: office, address, then date and time or the queue (APT18, FIN06–FIN09). */
export function appointmentRows(t: Translate, appointment: Appointment): SummaryRow[] {
  const { nameOffice, addressOffice, city, country } = appointment
  const rows = [
    {
      term: t('schedule.office'),
      value: officeWithTown({ office: nameOffice ?? '', city, country }),
      isLong: true,
    },
    { term: t('schedule.address'), value: addressText(t, addressOffice), isLong: true },
    ...timeRows(t, appointment.appointmentDate),
  ]
  return rows.filter(({ value }) => value !== '')
}

/**
 * Returns the address of an office, with each ordinal such as `1er` on the line of the word before it; without an
 * address the text that says so.
 */
export function addressText(t: Translate, address: string | null): string {
  return address?.replaceAll(/ (?=\d+(?:e|è|st|nd|rd|th))/g, '\u00a0') || t('appointment.addressUnknown')
}

/** Returns day and time as one text, or the text for the general queue. */
export function appointmentText(
  t: Translate,
  appointmentDate: string | null | undefined,
  language: Language,
): string {
  if (!appointmentDate) return t('appointment.generalQueue')
  return `${formatDay(appointmentDate, language)}, ${appointmentParts(appointmentDate).time}`
}

function timeRows(t: Translate, appointmentDate: string | null | undefined): SummaryRow[] {
  if (!appointmentDate) return [{ term: t('schedule.date'), value: t('appointment.generalQueue') }]
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
