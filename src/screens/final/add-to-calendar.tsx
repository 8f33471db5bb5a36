import { useIntl } from 'react-intl'
import { type Appointment, officeWithTown } from '#contract/appointment.ts'
import type { Paper } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { Button } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'

type AddToCalendarProps = { appointment: Appointment; papers: readonly Paper[] }

/** Saves the appointment as a calendar file (F7). Absent in the general queue, which has no date. */
export function AddToCalendar({ appointment, papers }: AddToCalendarProps) {
  const t = useText()
  const { locale } = useIntl()
  const { device, notices } = useServices()
  const { busy, runOnce } = useBusy()
  const { appId, appNumber } = useFinalParams()
  const { appointmentDate, timeZone, sequence, nameOffice, addressOffice, city, country } = appointment
  if (!appointmentDate || !timeZone) return null
  const office = officeWithTown({ office: nameOffice ?? '', city, country })
  const entry = {
    id: `${appId}@${new URL(device.urlOf('/')).hostname}`,
    sequence: sequence ?? 0,
    startsAt: appointmentDate,
    timeZone,
    title: t('final.calendarTitle', { number: appNumber }),
    place: [office, addressOffice].filter(Boolean).join(', '),
    notes: [t('papers.heading'), ...papers.map(paper => `- ${t(`paper.${paper}`)}`)].join('\n'),
    language: locale,
  }

  // A file of its own, because few applicants press this button; the service worker caches it with the final page.
  async function save() {
    const loaded = await loadWithRetry(() => import('./calendar-file.ts')).catch(() => undefined)
    if (!loaded) return notices.raise('warning', { key: 'notice.generic' })
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
