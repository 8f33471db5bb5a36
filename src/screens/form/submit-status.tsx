import { Link } from '@tanstack/react-router'
import { unloadWarning } from '#device/unload-warning.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { linkButtonClass } from '#ui/button.tsx'
import type { SyncStatus } from '#sync/sync-status.ts'
import { Panel } from '#ui/panel.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'
import styles from './submit-status.module.css'
import { useFormParams } from './form-route.ts'

/**
 * Says that a submit waits, or that the server has accepted it (D33). Once it has, the link to the confirmation is the
 * main button on the last tab (`isLast`), because Submit has nothing more to send.
 */
export function SubmitStatus({ isLast }: { isLast: boolean }) {
  const kind = useSubmitStatus()
  return (
    <div id={submitStatusId} className={styles.status}>
      {kind !== 'none' && <SubmitStatusPanel {...{ kind, isLast }} />}
    </div>
  )
}

export function useSubmitStatus(): SubmitStatusKind {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // The snapshot is a string, so typing does not re-render the component.
  return useSnapshot(sync.subscribe, () => submitStatusOf(sync.status(appId)))
}

const submitStatusId = 'submit-status'

/** Scrolls to the status, which may be below the edge of the screen when the applicant has pressed Submit. */
export function scrollToSubmitStatus(): void {
  document.getElementById(submitStatusId)?.scrollIntoView({ block: 'nearest' })
}

type SubmitStatusKind = 'none' | 'invalid' | 'waiting' | 'sent'

/**
 * `invalid`: the answers were changed after a submit that still waits, and have issues or were not checked, so they are
 * not sent as complete. `sent`: the server has accepted the submitted form, at once or later, and no answer has changed
 * since.
 */
function submitStatusOf(status: SyncStatus): SubmitStatusKind {
  if (!('draft' in status)) return 'none'
  const { submitted, faulty, delivered } = status.draft
  if (submitted === true && faulty === true) return 'invalid'
  if (submitted === true && status.kind === 'waiting') return 'waiting'
  return delivered === true && status.kind === 'sent' ? 'sent' : 'none'
}

type SubmitStatusPanelProps = { kind: Exclude<SubmitStatusKind, 'none'>; isLast: boolean }

function SubmitStatusPanel({ kind, isLast }: SubmitStatusPanelProps) {
  const t = useText()
  const params = useFormParams()
  const { sync } = useServices()
  const isOnlyInPage = useSnapshot(unloadWarning.subscribe, () =>
    unloadWarning.isFor(sync.serverIdOf(params.appId)),
  )
  if (kind === 'sent')
    return (
      <Panel tone="success" announce>
        <p>{t('form.submitThrough')}</p>
        <Link
          to="/confirm/$appId/$appNumber"
          params={params}
          className={isLast ? linkButtonClass('primary') : undefined}
        >
          {t('form.goToConfirm')}
        </Link>
      </Panel>
    )
  const waiting = isOnlyInPage ? 'form.notKeptRescue' : 'form.submitWaits'
  return (
    <Panel tone={kind === 'invalid' ? 'warning' : 'info'} announce>
      {t(kind === 'invalid' ? 'form.submitFaulty' : waiting)}
    </Panel>
  )
}
