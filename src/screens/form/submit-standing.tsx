import { Link } from '@tanstack/react-router'
import { useText } from '#i18n/intl.ts'
import type { Standing } from '#sync/standings.ts'
import { Panel } from '#ui/panel.tsx'
import { useFormParams } from './form-route.ts'
import { useStanding } from './use-standing.ts'

/** What became of a Submit that could not go at once (D33). */
export function SubmitStanding() {
  const t = useText()
  const { appId, appNumber } = useFormParams()
  const standing = useStanding()
  return (
    <>
      {isFaulty(standing) && (
        <Panel tone="warning" announce>
          {t('form.submitFaulty')}
        </Panel>
      )}
      {isWaiting(standing) && (
        <Panel tone="info" announce>
          {t('form.submitWaits')}
        </Panel>
      )}
      {isThrough(standing) && (
        <Panel tone="success" announce>
          <p>{t('form.submitThrough')}</p>
          <Link to="/confirm/$appId/$appNumber" params={{ appId, appNumber }}>
            {t('form.goToConfirm')}
          </Link>
        </Panel>
      )}
    </>
  )
}

function isWaiting(standing: Standing): boolean {
  return standing.kind === 'waiting' && standing.draft.submitted === true && !isFaulty(standing)
}

/** Answers were changed after a Submit that still waits, and it cannot go with these. */
function isFaulty(standing: Standing): boolean {
  return 'draft' in standing && standing.draft.submitted === true && standing.draft.faulty === true
}

/** A Submit that had to wait and was taken behind the applicant's back. */
function isThrough(standing: Standing): boolean {
  return standing.kind === 'sent' && standing.draft.delivered === true
}
