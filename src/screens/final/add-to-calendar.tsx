import { useIntl } from 'react-intl'
import type { Appointment } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { Button } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'

/** Saves the appointment as a calendar file (F7). Absent without a date (general queue) or without a time zone. */
export function AddToCalendar({ appointment }: { appointment: Appointment }) {
  const t = useText()
  const { locale } = useIntl()
  const language = useLanguage()
  const services = useLoadedServices()
  const { busy, runOnce } = useBusy()
  const booked = useFinalParams()
  if (!appointment.appointmentDate || !appointment.timeZone) return null

  // A chunk of its own, because few applicants press this button; the service worker caches it with the final page.
  async function save() {
    const hasEnded = services.session.watchEnd()
    const text = await loadWithRetry(() => import('./calendar-file.ts'))
      .then(loaded => loaded.readCalendarFile(services, booked, { t, locale, language }))
      .catch(() => undefined)
    // The next person may use the device, and a notice would hide the one of the log-out.
    if (hasEnded()) return undefined
    if (!text) return services.notices.raise('warning', { key: 'notice.generic' })
    services.device.download(new Blob([text], { type: 'text/calendar' }), `${booked.appNumber}.ics`)
  }

  return (
    <div className={styles.action}>
      <Button variant="secondary" busy={busy} busyLabel={t('button.busy')} onClick={() => void runOnce(save)}>
        {t('button.addToCalendar')}
      </Button>
    </div>
  )
}
