import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'
import { useBooking } from './use-booking.ts'

/**
 * What a clerk needs of a receipt, without the PDF. `waiting`: a part still loads. `none`: the appointment has no code,
 * as with another back end, or a part did not load.
 */
export function useReceiptCode() {
  const language = useLanguage()
  const { queries, queryClient } = useLoadedServices()
  const { appId, appointmentId } = useFinalParams()
  const { appointment, application, isFailed, isCurrent } = useBooking()
  const text = appointment?.receiptCode
  // Loads with the page, so that the code is there at once when the applicant asks for it.
  const qrCode = useQuery({ ...qrCodeQuery, enabled: Boolean(text) })

  /** Waits for the parts that still load. Resolves to false when the receipt has no code, or a part does not load. */
  async function load(): Promise<boolean> {
    try {
      // The cached answer may be from before the appointment was confirmed: then it has no code.
      const hasCode =
        text ?? (await queryClient.fetchQuery(queries.appointment(appointmentId, language))).receiptCode
      if (!hasCode) return false
      await Promise.all([
        application ?? queryClient.ensureQueryData(queries.applicationData(appId)),
        queryClient.ensureQueryData(qrCodeQuery),
      ])
      return true
    } catch {
      return false // the pages of the PDF have the code too
    }
  }

  function read() {
    if (isFailed || (qrCode.isError && !qrCode.data) || (!text && isCurrent)) return { kind: 'none' } as const
    if (!text || !application || !qrCode.data) return { kind: 'waiting' } as const
    const name = `${application.surname} ${application.givenName}`.trim()
    return { kind: 'ready', text, name, appointment, QrCode: qrCode.data.QrCode } as const
  }

  return { code: read(), load }
}

const qrCodeQuery = queryOptions({
  queryKey: ['qr-code'],
  queryFn: () => loadWithRetry(() => import('#ui/qr-code.tsx')),
  staleTime: Infinity,
  gcTime: Infinity,
})

type ReceiptCodeProps = Extract<ReturnType<typeof useReceiptCode>['code'], { kind: 'ready' }>

/**
 * The number, the name, the time and the code, for the clerk's scanner. The button that reads the page aloud skips this
 * part: the panel above has the time, and a stranger may stand beside a kiosk (NAV30).
 */
export function ReceiptCode({ text, name, appointment, QrCode }: ReceiptCodeProps) {
  const t = useText()
  const language = useLanguage()
  const { appNumber } = useFinalParams()
  const { device } = useServices()
  const container = useRef<HTMLDivElement>(null)
  // The focus brings the code into view. When the list of applications opens the page with the code, the shell first moves
  // the focus to the heading.
  useEffect(() => device.after(0, () => container.current?.focus()), [device])
  return (
    <div ref={container} className={styles.code} tabIndex={-1} data-private>
      <strong className={styles.large}>{appNumber}</strong>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      <p className="day-line">{appointmentText(t, appointment.appointmentDate, language)}</p>
      <QrCode text={text} label={t('final.code')} />
    </div>
  )
}
