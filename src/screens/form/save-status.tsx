import { useSyncExternalStore } from 'react'
import { useIntl } from 'react-intl'
import { type MessageKey, type Translate, useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import type { Stuck } from '#store/draft.ts'
import type { SaveFailureReason } from '#store/storage-fault.ts'
import { isLocal } from '#sync/local-id.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { ApplicationNumber } from '#summary/application-number.tsx'
import { UnreadablePanel } from '#summary/unreadable-panel.tsx'
import { Icon } from '#ui/icon.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Autosave } from './autosave.ts'
import { useFormParams } from './form-route.ts'
import styles from './save-status.module.css'

const failureTexts = {
  full: 'form.whyFull',
  refused: 'form.whyRefused',
  hangs: 'form.whyHangs',
  lost: 'form.whyLost',
  blocked: 'form.whyBlocked',
} as const satisfies Record<SaveFailureReason, MessageKey>

type SaveStatusProps = {
  autosave: Autosave
  /** The device may have a draft that it could not read when the form started (D74). */
  mayMissDraft: boolean
}

/** The application number, and where the answers are saved (D30). */
export function SaveStatus({ autosave, mayMissDraft }: SaveStatusProps) {
  const t = useText()
  const { appId, appNumber } = useFormParams()
  const status = useSyncStatus()
  const saveState = useSyncExternalStore(autosave.subscribe, autosave.state)
  return (
    <>
      <p className={styles.line}>
        <span>{isLocal(appId) ? t('form.noNumber') : <ApplicationNumber number={appNumber} />}</span>
        {saveState.kind === 'saved' && status.kind !== 'unreadable' && (
          <span className={styles.saved}>
            <Icon name="tick" /> <SaveLocation status={status} />
          </span>
        )}
        {saveState.kind === 'saving' && <span>{t('form.keeping')}</span>}
      </p>
      {saveState.kind === 'not-saved' && (
        <Panel tone="warning" announce>
          <p>{t('form.notKept', { why: t(failureTexts[saveState.reason]) })}</p>
          <p>{t('form.notKeptRescue')}</p>
        </Panel>
      )}
      {(mayMissDraft || saveState.kind !== 'not-saved') && <Unreadable mayMissDraft={mayMissDraft} />}
      {status.kind === 'stuck' && (
        <Panel tone="warning" announce>
          {t('form.stuck', { why: stuckReason(t, status.stuck) })}
        </Panel>
      )}
    </>
  )
}

/** Warns that this device may have answers that it cannot read now; another tab may have saved them (D74). */
function Unreadable({ mayMissDraft }: Pick<SaveStatusProps, 'mayMissDraft'>) {
  const t = useText()
  const { sync } = useServices()
  const status = useSyncStatus()
  const listFault = useSyncExternalStore(sync.subscribe, sync.listFault)
  if (status.kind !== 'unreadable' && listFault === undefined) return null
  return (
    <UnreadablePanel onRetry={sync.readAgain}>
      <p>{t(mayMissDraft ? 'confirm.unreadable' : 'form.unreadable')}</p>
    </UnreadablePanel>
  )
}

/** Says whether answers that are saved on this device are also on the server. */
function SaveLocation({ status }: { status: SyncStatus }) {
  const t = useText()
  const intl = useIntl()
  switch (status.kind) {
    case 'sending':
      return t('form.sending')
    case 'waiting':
      return t(status.draft.heldByOrder ? 'form.heldByOrder' : 'form.waiting')
    case 'conflict':
      return t('form.choiceOpen')
    case 'sent':
      // 0: the draft began with the server's copy, whose time is unknown (`form-start.ts`).
      return status.at === 0 ? t('form.onServer') : t('form.onServerAt', { time: intl.formatTime(status.at) })
    case 'none':
    case 'unreadable':
    case 'not-saved':
    case 'saved':
    case 'unsent':
    case 'stuck':
      return t('form.kept')
  }
}

/** The sync status of the open application. */
function useSyncStatus(): SyncStatus {
  const { appId } = useFormParams()
  const { sync } = useServices()
  return useSyncExternalStore(sync.subscribe, () => sync.status(appId))
}

/** Why the server does not accept a draft, in the applicant's language. */
function stuckReason(t: Translate, stuck: Stuck): string {
  switch (stuck.kind) {
    case 'refused':
      return t('form.stuckRefused')
    case 'gone':
      return t('form.stuckGone')
    case 'not-allowed':
      return t('form.stuckNotAllowed')
    case 'unfit':
      return t('form.stuckUnfit', { fields: stuck.fields.map(field => t(`field.${field}`)).join(', ') })
  }
}
