import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { Panel } from '#ui/panel.tsx'

/** The warning for a booking that cannot be changed or cancelled once it is confirmed (D43). */
export function FinalBooking({ announce, children }: { announce?: boolean; children?: ReactNode }) {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('appointment.finalHeading')} announce={announce}>
      {children}
    </Panel>
  )
}
