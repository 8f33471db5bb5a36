import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { Panel } from '#ui/panel.tsx'
import { useFormParams } from './form-route.ts'

/** What became of a Submit that could not go at once (D33). */
export function SubmitStatus() {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // One word, so that what is typed meanwhile draws nothing here.
  const kind = useSyncExternalStore(sync.subscribe, () => submitStatusOf(sync.status(appId)))
  return kind === 'none' ? null : <SubmitStatusPanel kind={kind} />
}

type SubmitStatusKind = 'none' | 'faulty' | 'waiting' | 'through'

/**
 * `faulty`: answers were changed after a Submit that still waits, and it cannot go with these; `through`: it had to
 * wait and was taken behind the applicant's back.
 */
function submitStatusOf(status: SyncStatus): SubmitStatusKind {
  if (!('draft' in status)) return 'none'
  const { submitted, faulty, delivered } = status.draft
  if (submitted === true && faulty === true) return 'faulty'
  if (submitted === true && status.kind === 'waiting') return 'waiting'
  return delivered === true && status.kind === 'sent' ? 'through' : 'none'
}

function SubmitStatusPanel({ kind }: { kind: Exclude<SubmitStatusKind, 'none'> }) {
  const t = useText()
  const params = useFormParams()
  switch (kind) {
    case 'faulty':
      return (
        <Panel tone="warning" announce>
          {t('form.submitFaulty')}
        </Panel>
      )
    case 'waiting':
      return (
        <Panel tone="info" announce>
          {t('form.submitWaits')}
        </Panel>
      )
    case 'through':
      return (
        <Panel tone="success" announce>
          <p>{t('form.submitThrough')}</p>
          <Link to="/confirm/$appId/$appNumber" params={params}>
            {t('form.goToConfirm')}
          </Link>
        </Panel>
      )
  }
}
