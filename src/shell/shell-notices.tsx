import { useRouterState } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { type Translate, useText } from '#i18n/intl.ts'
import type { NoticeMessage } from '#app/notices.ts'
import { useServices } from '#app/services.ts'
import { Notice, NoticePlace } from '#ui/notice.tsx'
import styles from './shell-notices.module.css'

/**
 * The notice that is shown now, above the page, and afterwards its text, for applicants who read more slowly than a
 * notice is shown (D51).
 */
export function Notices() {
  const t = useText()
  const { notices } = useServices()
  const page = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? '' })
  const { shown, last } = useSyncExternalStore(notices.subscribe, notices.state, notices.state)
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
    <NoticePlace
      label={t('notice.region')}
      page={page}
      urgent={urgent ? notice : undefined}
      last={!shown && last && <LastNotice message={last.message} />}
      onPause={notices.pause}
      onResume={notices.resume}
    >
      {urgent ? undefined : notice}
    </NoticePlace>
  )
}

function LastNotice({ message }: { message: NoticeMessage }) {
  const t = useText()
  return (
    <span>
      <span className={styles.label}>{t('notice.last')}</span> <span>{textOf(t, message)}</span>
    </span>
  )
}

function textOf(t: Translate, message: NoticeMessage): string {
  return 'text' in message ? message.text : t(message.key, message.values)
}
