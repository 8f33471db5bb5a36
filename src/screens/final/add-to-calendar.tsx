import { useIntl } from 'react-intl'
import { type Appointment, officeWithTown } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { Button } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'
import { papersOfBooking } from './papers-of-booking.ts'

/** Saves the appointment as a calendar file (F7). Absent in the general queue, which has no date. */
export function AddToCalendar({ appointment }: { appointment: Appointment }) {
  const t = useText()
  const { device, notices } = useLoadedServices()
  const { busy, runOnce } = useBusy()
  const { appNumber } = useFinalParams()
  const readEntry = useEntry()
  if (!appointment.appointmentDate || !appointment.timeZone) return null

  // A file of its own, because few applicants press this button; the service worker caches it with the final page.
  async function save() {
    const loaded = await loadWithRetry(() => import('./calendar-file.ts')).catch(() => undefined)
    const entry = await readEntry().catch(() => undefined)
    if (!loaded || !entry) return notices.raise('warning', { key: 'notice.generic' })
    const text = loaded.calendarFile({ ...entry, writtenAt: device.now() })
    device.download(new Blob([text], { type: 'text/calendar' }), `${appNumber}.ics`)
  }

  return (
    <div className={styles.action}>
      <Button variant="secondary" busy={busy} busyLabel={t('button.busy')} onClick={() => void runOnce(save)}>
        {t('button.addToCalendar')}
      </Button>
    </div>
  )
}

/**
 * Returns a function that reads the entry. It waits for the calls of this screen, because the entry stays in the calendar: a
 * cached booking may be stale. The function resolves to undefined when the appointment has no date.
 */
function useEntry() {
  const t = useText()
  const { locale } = useIntl()
  const language = useLanguage()
  const { device, queries, queryClient } = useLoadedServices()
  const { appId, appNumber, appointmentId } = useFinalParams()

  return async () => {
    const [appointment, application] = await Promise.all([
      queryClient.ensureQueryData(queries.appointment(appointmentId, language)),
      queryClient.ensureQueryData(queries.applicationData(appId)),
    ])
    const { appointmentDate, timeZone, sequence, nameOffice, addressOffice, city, country } = appointment
    if (!appointmentDate || !timeZone) return undefined
    const office = officeWithTown({ office: nameOffice ?? '', city, country })
    const papers = papersOfBooking(application, appointment, device.now())
    return {
      id: `${appId}@${new URL(device.urlOf('/')).hostname}`,
      sequence: sequence ?? 0,
      startsAt: appointmentDate,
      timeZone,
      title: t('final.calendarTitle', { number: appNumber }),
      place: [office, addressOffice].filter(Boolean).join(', '),
      notes: [t('papers.heading'), ...papers.map(paper => `- ${t(`paper.${paper}`)}`)].join('\n'),
      language: locale,
    }
  }
}
