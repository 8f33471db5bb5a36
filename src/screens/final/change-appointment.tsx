import { useNavigate } from '@tanstack/react-router'
import type { ApplicationData } from '#contract/application.ts'
import type { Appointment } from '#contract/appointment.ts'
import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'

type ChangeAppointmentProps = {
  data: Pick<ApplicationData, 'changeAppointmentAccess' | 'appointmentChangeCount'>
  appointment: Pick<Appointment, 'changeAllowed' | 'changeRefusal'>
}

/**
 * The button if the application and the appointment allow a change (FIN11), with the number of changes left (FIN12, S08).
 * Otherwise the reason, or a general text if the server gives none.
 */
export function ChangeAppointment({ data, appointment }: ChangeAppointmentProps) {
  const t = useText()
  const params = useFinalParams()
  const navigate = useNavigate()
  if (!data.changeAppointmentAccess || !appointment.changeAllowed)
    return <p className={styles.note}>{t(`final.noChange.${appointment.changeRefusal ?? 'unknown'}`)}</p>
  const count = data.appointmentChangeCount
  return (
    <>
      <p className={styles.note}>{count === 1 ? t('final.changeOnce') : t('final.changeCount', { count })}</p>
      <ButtonRow>
        <Button
          variant="secondary"
          onClick={() => void navigate({ to: '/appointment/$appId/$appNumber/$appointmentId', params })}
        >
          {t('button.changeAppointment')}
        </Button>
      </ButtonRow>
    </>
  )
}
