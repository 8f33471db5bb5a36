import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import type { LostStep } from '#api/lost-steps.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { destinationOf } from '#contract/states.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

type Appointment = LostStep['earlierAppointment']

/**
 * Lists what the server lost in a restore from a backup (D62): payments, bookings, and changes and cancellations of bookings, of
 * `appId` or of all applications.
 */
export function LostSteps({ appId }: { appId?: ApplicationId }) {
  const { queries, session } = useLoadedServices()
  const applicantId = useSyncExternalStore(session.subscribe, session.signedInId) ?? ''
  const { data = [] } = useQuery({ ...queries.lostSteps(applicantId), enabled: applicantId !== '' })
  const shown = data.filter(({ id }) => appId === undefined || id === appId)
  return shown.map(step => <LostStepPanel key={step.id} step={step} applicantId={applicantId} />)
}

function LostStepPanel({ step, applicantId }: { step: LostStep; applicantId: string }) {
  const t = useText()
  const language = useLanguage()
  const { queries, queryClient } = useLoadedServices()
  const { id, application, earlierAppointment, isPaymentLost, orders } = step
  const isBooked = application && destinationOf(application.currentState) === 'final'

  function bookingText(appointment: Appointment) {
    const time = appointmentText(t, appointment?.appointmentDate, language)
    return [appointment?.office?.[language], time].filter(Boolean).join(', ')
  }

  async function forget() {
    await queries.forgetLostStep(applicantId, id)
    await queryClient.invalidateQueries({ queryKey: ['lost-steps'] })
  }

  return (
    <Panel tone="warning" heading={t('lost.heading')} announce>
      {application && <p>{t('procedure.number', { number: application.applicationNumber })}</p>}
      {isPaymentLost && <p>{t('lost.payment')}</p>}
      {orders.map(order => (
        <p key={order}>{t('lost.order', { order })}</p>
      ))}
      {isBooked && <p>{t('lost.appointment', { appointment: bookingText(application.appointment) })}</p>}
      {earlierAppointment && <p>{t('lost.earlier', { appointment: bookingText(earlierAppointment) })}</p>}
      {(isBooked || earlierAppointment) && <p>{t('lost.ask')}</p>}
      <p>
        <Link to="/help">{t('app.help')}</Link>
      </p>
      <ButtonRow>
        <Button variant="secondary" onClick={() => void forget()}>
          {t('lost.noted')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}
