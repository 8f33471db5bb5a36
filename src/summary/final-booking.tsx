import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { Panel } from '#ui/panel.tsx'

type FinalBookingProps = {
  /** The booking is in the general queue: the applicant need not come at a certain time. */
  isQueue: boolean
  announce?: boolean
  children?: ReactNode
}

/** Says that the booking cannot be changed or cancelled once it is confirmed (D43). */
export function FinalBooking({ isQueue, announce, children }: FinalBookingProps) {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('appointment.finalHeading')} announce={announce}>
      {!isQueue && <p>{t('appointment.finalText')}</p>}
      {children}
    </Panel>
  )
}
