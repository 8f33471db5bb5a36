import { Link } from '@tanstack/react-router'
import type { LostStep } from '#api/lost-steps.ts'
import { destinationOf } from '#contract/states.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'

type Appointment = LostStep['earlierAppointment']

export type LostStepPanelProps = { step: LostStep; applicantId: string }

/**
 * Says which payment and which booking of one application this device knows, but a server that was restored from a
 * backup has lost. Refers the applicant to the help desk (D62). `orders`: the order numbers of the lost payments.
 * Without `application`, the device knows only these numbers. `earlierAppointment`: the appointment that the server has
 * again, because the restore has undone its change or cancellation. The panel stays until the applicant presses its
 * button, or the server knows the payment or booking again or has another booking.
 */
export function LostStepPanel({ step, applicantId }: LostStepPanelProps) {
  const t = useText()
  const language = useLanguage()
  const { queries, queryClient } = useLoadedServices()
  const { id, application, earlierAppointment, isPaymentLost, orders } = step
  // The screen `final` shows the booked appointment.
  const isBooked = application && destinationOf(application.currentState) === 'final'

  function bookingText(appointment: Appointment) {
    const time = appointmentText(t, appointment?.appointmentDate, language)
    return [appointment?.office?.[language], time].filter(Boolean).join(', ')
  }

  /** Never rejects. When the storage fails, the panel may come back. */
  async function forget() {
    await queries.forgetLostStep(applicantId, id)
    await queryClient.invalidateQueries({ queryKey: queries.lostSteps(applicantId).queryKey })
  }

  return (
    <Panel tone="warning" heading={t('lost.heading')} announce>
      {application && <p>{t('form.number', { number: application.applicationNumber })}</p>}
      {isPaymentLost && <p>{t('lost.payment')}</p>}
      {orders.map(order => (
        <p key={order}>{t('lost.order', { order })}</p>
      ))}
      {isBooked && <p>{t('lost.appointment', { appointment: bookingText(application.appointment) })}</p>}
      {earlierAppointment && <p>{t('lost.earlier', { appointment: bookingText(earlierAppointment) })}</p>}
      {(isBooked || earlierAppointment) && <p>{t('lost.ask')}</p>}
      <p className="link-line">
        <Link to="/help">{t('app.help')}</Link>
      </p>
      <ButtonRow>
        <Button ref={passFocusToHeadingOnRemoval} variant="secondary" onClick={() => void forget()}>
          {t('lost.noted')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}
