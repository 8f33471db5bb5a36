import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useIntl } from 'react-intl'
import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServices } from '#portal/services.ts'
import { appointmentTime } from '#summary/appointment-rows.ts'
import { linkButtonClass } from '#ui/link-button.tsx'
import { Panel } from '#ui/panel.tsx'

type HeldPlaceProps = { appId: ApplicationId; appNumber: ApplicationNumber }

/** Whoever comes back before confirming finds the place that is still held, and the way to it. */
export function HeldPlace(application: HeldPlaceProps) {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { queries, session } = useServices()
  const state = session.state()
  const applicantId = state.kind === 'signed-in' ? state.claims.applicantId : ''
  const reservation = useQuery({
    ...queries.applications(applicantId),
    enabled: state.kind === 'signed-in',
    // The list may be from just before the place was taken.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    select: applications => applications.find(({ id }) => id === application.appId)?.reservation,
  })
  if (!reservation.data) return null
  const { id, appointmentDate } = reservation.data
  return (
    <Panel heading={t('appointment.heldHeading')}>
      <p>
        <strong>{appointmentTime(t, appointmentDate, language)}</strong>
      </p>
      <p>{t('appointment.heldText')}</p>
      <Link
        to="/schedule/$appId/$appNumber/$appointmentId"
        params={{ ...application, appointmentId: id }}
        className={linkButtonClass('secondary')}
      >
        {t('appointment.heldLink')}
      </Link>
    </Panel>
  )
}
