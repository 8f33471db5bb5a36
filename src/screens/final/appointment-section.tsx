import type { Appointment } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { appointmentRows } from '#summary/appointment-rows.ts'
import { Section } from '#ui/page.tsx'
import { SummaryList } from '#ui/summary-list.tsx'

export function AppointmentSection({ appointment }: { appointment: Appointment }) {
  const t = useText()
  return (
    <Section id="appointment" heading={t('section.appointment')}>
      <SummaryList rows={appointmentRows(t, appointment)} />
    </Section>
  )
}
