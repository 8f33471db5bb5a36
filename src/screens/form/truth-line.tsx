import { useSyncExternalStore } from 'react'
import { useIntl } from 'react-intl'
import { type MessageKey, type Translate, useText } from '#i18n/intl.ts'
import type { Stuck } from '#store/draft.ts'
import type { WhyNotKept } from '#store/storage-fault.ts'
import { isLocal } from '#sync/local-id.ts'
import type { Standing } from '#sync/standings.ts'
import { Icon } from '#ui/icon.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Autosave } from './autosave.ts'
import { useFormParams } from './form-route.ts'
import styles from './truth-line.module.css'
import { useStanding } from './use-standing.ts'

const reasons = {
  full: 'form.whyFull',
  refused: 'form.whyRefused',
  hangs: 'form.whyHangs',
  lost: 'form.whyLost',
  blocked: 'form.whyBlocked',
} as const satisfies Record<WhyNotKept, MessageKey>

type TruthLineProps = { autosave: Autosave }

/** Which application this is, and what is true of what was typed (D30). */
export function TruthLine({ autosave }: TruthLineProps) {
  const t = useText()
  const { appId, appNumber } = useFormParams()
  const standing = useStanding()
  const keeping = useSyncExternalStore(autosave.subscribe, autosave.state)
  return (
    <>
      <p className={styles.line}>
        <span className={styles.number}>
          {isLocal(appId) ? t('form.noNumber') : t('form.number', { number: appNumber })}
        </span>
        {keeping.kind === 'kept' && (
          <span className={styles.kept}>
            <Icon name="tick" /> <Whereabouts standing={standing} />
          </span>
        )}
        {keeping.kind === 'keeping' && <span>{t('form.keeping')}</span>}
      </p>
      {keeping.kind === 'not-kept' && (
        <Panel tone="warning" announce>
          <p>{t('form.notKept', { why: t(reasons[keeping.why]) })}</p>
          <p>{t('form.notKeptRescue')}</p>
        </Panel>
      )}
      {standing.kind === 'stuck' && (
        <Panel tone="warning" announce>
          {t('form.stuck', { why: reasonOf(t, standing.stuck) })}
        </Panel>
      )}
    </>
  )
}

/** Where the answers are, once they are kept on this phone. */
function Whereabouts({ standing }: { standing: Standing }) {
  const t = useText()
  const intl = useIntl()
  switch (standing.kind) {
    case 'sending':
      return t('form.sending')
    case 'waiting':
      return t('form.waiting')
    case 'choice':
      return t('form.choiceOpen')
    case 'sent':
      return standing.at === 0
        ? t('form.onServer')
        : t('form.onServerAt', { time: intl.formatTime(standing.at) })
    case 'none':
    case 'not-kept':
    case 'kept':
    case 'unsent':
    case 'stuck':
      return t('form.kept')
  }
}

export function reasonOf(t: Translate, stuck: Stuck): string {
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
