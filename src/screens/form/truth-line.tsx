import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { Icon } from '#ui/icon.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Autosave } from './autosave.ts'
import { useFormParams } from './form-route.ts'
import styles from './truth-line.module.css'

/** Which application this is, and what is true of what was typed (D30). */
export function TruthLine({ autosave }: { autosave: Autosave }) {
  const t = useText()
  const { appNumber } = useFormParams()
  const keeping = useSyncExternalStore(autosave.subscribe, autosave.state)
  return (
    <>
      <p className={styles.line}>
        <span className={styles.number}>{t('form.number', { number: appNumber })}</span>
        {keeping.kind === 'kept' && (
          <span className={styles.kept}>
            <Icon name="tick" /> {t('form.kept')}
          </span>
        )}
        {keeping.kind === 'keeping' && <span>{t('form.keeping')}</span>}
      </p>
      {keeping.kind === 'not-kept' && (
        <Panel tone="warning" announce>
          {t('form.notKept', { why: t('form.whyStorage') })}
        </Panel>
      )}
    </>
  )
}
