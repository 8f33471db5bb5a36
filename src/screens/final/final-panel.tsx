import { type Appointment, officeWithTown } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServerInfo } from '#app/services.ts'
import { ApplicationNumber } from '#summary/application-number.tsx'
import { addressText, appointmentText } from '#summary/appointment-rows.ts'
import { PapersList } from '#summary/papers-list.tsx'
import { today } from '#summary/today.ts'
import { Panel } from '#ui/panel.tsx'
import { AddToCalendar } from './add-to-calendar.tsx'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'
import { papersOfBooking } from './papers-of-booking.ts'
import { ReceiptDownload } from './receipt-download.tsx'
import { ReceiptPrint } from './receipt-print.tsx'
import { ReceiptShare } from './receipt-share.tsx'
import { ReceiptView } from './receipt-view.tsx'
import { useBooking } from './use-booking.ts'

/** All that the applicant needs on the day of the appointment: the booking, the papers, and the receipt (FIN01–FIN03). */
export function FinalPanel() {
  const t = useText()
  const { appNumber } = useFinalParams()
  const services = useLoadedServices()
  // Renders the list again when the server has said which day it is.
  useServerInfo()
  const { appointment, application } = useBooking()
  const papers = application && appointment && papersOfBooking(application, appointment, today(services))
  const isKiosk = services.deviceUse.current().kind === 'kiosk'
  return (
    <Panel tone="success" heading={t('final.done')} drawn>
      <p data-private>
        <ApplicationNumber number={<strong>{appNumber}</strong>} />
      </p>
      {appointment && <BookedPlace appointment={appointment} isPrivate={isKiosk} />}
      <p>{t('final.print')}</p>
      {papers && (
        <>
          <h3>{t('papers.heading')}</h3>
          <PapersList papers={papers} />
        </>
      )}
      <div className={styles.actions}>
        {/* A file would stay on the kiosk for the next applicant (D38). */}
        {isKiosk ? <ReceiptPrint variant="primary" /> : <ReceiptDownload variant="primary" />}
        <ReceiptView />
        {!isKiosk && appointment && <AddToCalendar appointment={appointment} />}
        {!isKiosk && <ReceiptPrint variant="secondary" />}
        {!isKiosk && <ReceiptShare />}
      </div>
    </Panel>
  )
}

/** `isPrivate`: the button that reads the page aloud skips this part: a stranger may stand near a kiosk (NAV30). */
function BookedPlace({ appointment, isPrivate }: { appointment: Appointment; isPrivate: boolean }) {
  const t = useText()
  const language = useLanguage()
  const { appointmentDate, nameOffice, addressOffice, city, country } = appointment
  return (
    <>
      <p data-private={isPrivate || undefined}>
        <strong className={styles.large}>{appointmentText(t, appointmentDate, language)}</strong>
      </p>
      <p data-private={isPrivate || undefined}>
        {officeWithTown({ office: nameOffice ?? '', city, country })}
        <br />
        {addressText(t, addressOffice)}
      </p>
      {!appointmentDate && <p>{t('final.queue')}</p>}
    </>
  )
}
