import { useQuery } from '@tanstack/react-query'
import { useIntl } from 'react-intl'
import { homeCountry, homeTimeZone } from '#contract/codes.ts'
import { type Appointment, officeWithTown } from '#contract/appointment.ts'
import { dayIn } from '#contract/dates.ts'
import { type Paper, papersOfForm } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { PapersList } from '#summary/papers-list.tsx'
import { Panel } from '#ui/panel.tsx'
import { AddToCalendar } from './add-to-calendar.tsx'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'
import { ReceiptDownload } from './receipt-download.tsx'
import { ReceiptPrint } from './receipt-print.tsx'
import { ReceiptShare } from './receipt-share.tsx'
import { ReceiptView } from './receipt-view.tsx'

/** All that the applicant needs on the day: what is booked, what to bring, and the receipt (FIN01–FIN03). */
export function FinalPanel() {
  const t = useText()
  const intl = useIntl()
  const { appNumber } = useFinalParams()
  const { deviceUse } = useLoadedServices()
  const { appointment, papers } = usePanelData()
  const isKiosk = deviceUse.current().kind === 'kiosk'
  const number = <strong key="number">{appNumber}</strong>
  return (
    <Panel tone="success" heading={t('final.done')} drawn>
      <p data-private>{intl.formatMessage({ id: 'form.number' }, { number })}</p>
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
        {!isKiosk && appointment && papers && <AddToCalendar appointment={appointment} papers={papers} />}
        {!isKiosk && <ReceiptPrint variant="secondary" />}
        {!isKiosk && <ReceiptShare />}
      </div>
    </Panel>
  )
}

function usePanelData(): { appointment: Appointment | undefined; papers: Paper[] | undefined } {
  const language = useLanguage()
  const { device, queries } = useLoadedServices()
  const { appId, appointmentId } = useFinalParams()
  const { data: appointment } = useQuery(queries.appointment(appointmentId, language))
  const { data } = useQuery(queries.applicationData(appId))
  const papers =
    data &&
    appointment &&
    papersOfForm(data, {
      day: appointment.appointmentDate?.slice(0, 10) ?? dayIn(homeTimeZone, new Date(device.now())),
      officeCountry: appointment.countryId ?? homeCountry,
    })
  return { appointment, papers }
}

/** `isPrivate`: not read aloud, because a stranger may stand beside a kiosk (NAV30). */
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
        {addressOffice || t('appointment.addressUnknown')}
      </p>
    </>
  )
}
