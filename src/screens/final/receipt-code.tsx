import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Appointment } from '#contract/appointment.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'

/**
 * What a clerk needs of a receipt, without the PDF. `waiting`: the code is known, but cannot be drawn yet. `none`: another
 * back end has no code, or a part did not load.
 */
export function useReceiptCode() {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const { appId, appointmentId } = useFinalParams()
  const { data: appointment } = useQuery(queries.appointment(appointmentId, language))
  const application = useQuery(queries.applicationData(appId))
  const text = appointment?.receiptCode
  // Loads with the page, so that the code is there at once when the applicant asks for it.
  const drawer = useQuery({
    queryKey: ['qr-code-drawer'],
    queryFn: () => loadWithRetry(() => import('#ui/qr-code.tsx')),
    enabled: Boolean(text),
    staleTime: Infinity,
    gcTime: Infinity,
  })
  if (!text || !appointment || application.isError || drawer.isError) return { kind: 'none' } as const
  if (!application.data || !drawer.data) return { kind: 'waiting' } as const
  const { surname, givenName } = application.data
  const { QrCode } = drawer.data
  return { kind: 'ready', text, appointment, QrCode, name: `${surname} ${givenName}`.trim() } as const
}

type ReceiptCodeProps = Extract<ReturnType<typeof useReceiptCode>, { kind: 'ready' }>

/** The number, the name, the time and the code, for the clerk's scanner. */
export function ReceiptCode({ text, name, appointment, QrCode }: ReceiptCodeProps) {
  const t = useText()
  const { appNumber } = useFinalParams()
  const { device } = useServices()
  const place = useRef<HTMLDivElement>(null)
  // The focus brings the code into view. When the list opens it, the shell first moves the focus to the heading.
  useEffect(() => device.after(0, () => place.current?.focus()), [device])
  return (
    <div ref={place} className={styles.code} tabIndex={-1}>
      <strong className={styles.number}>{appNumber}</strong>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      <When appointment={appointment} />
      <QrCode text={text} label={t('final.code')} />
    </div>
  )
}

function When({ appointment }: { appointment: Appointment }) {
  const t = useText()
  const language = useLanguage()
  return <p>{appointmentText(t, appointment.appointmentDate, language)}</p>
}
