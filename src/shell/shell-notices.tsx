import { useSyncExternalStore } from 'react'
import { type Translate, useText } from '#i18n/intl.ts'
import type { NoticeMessage } from '#app/notices.ts'
import { useServices } from '#app/services.ts'
import { classNames } from '#ui/class-names.ts'
import { Notice, NoticeRegion } from '#ui/notice.tsx'
import styles from './shell-notices.module.css'

/** The notice that is shown now, above the page. */
export function CurrentNotice() {
  const t = useText()
  const { notices } = useServices()
  const { shown } = useSyncExternalStore(notices.subscribe, notices.state, notices.state)
  const urgent = shown?.tone === 'danger'
  const notice = shown && (
    <Notice
      key={shown.id}
      tone={shown.tone}
      text={textOf(t, shown.message)}
      closeLabel={t('button.closeNotice')}
      onClose={notices.dismiss}
    />
  )
  return (
    <NoticeRegion
      label={t('notice.region')}
      urgent={urgent && notice}
      onPause={notices.pause}
      onResume={notices.resume}
    >
      {!urgent && notice}
    </NoticeRegion>
  )
}

/** The last notice as text in the page, for applicants who read more slowly than a notice is shown (D51). */
export function LastNotice() {
  const t = useText()
  const { notices } = useServices()
  const { shown, last } = useSyncExternalStore(notices.subscribe, notices.state, notices.state)
  if (!last) return null
  return (
    <p className={classNames(styles.last, shown?.id === last.id && styles.waiting)}>
      <span className={styles.label}>{t('notice.last')}</span> <span>{textOf(t, last.message)}</span>
    </p>
  )
}

function textOf(t: Translate, message: NoticeMessage): string {
  return 'text' in message ? message.text : t(message.key, message.values)
}
