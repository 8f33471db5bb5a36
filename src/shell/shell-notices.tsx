import { type Translate, useText } from '#i18n/intl.ts'
import type { NoticeMessage } from '#app/notices.ts'
import { useServices } from '#app/services.ts'
import { Notice, NoticeRegion, PastNotice } from '#ui/notice.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'

/**
 * The notice that is shown now, with room of its own at the top of the page. Afterwards its text stays there, for
 * applicants who read more slowly than a notice is shown (D51).
 */
export function ShellNotices() {
  return (
    <>
      <CurrentNotice />
      <LastNotice />
    </>
  )
}

function CurrentNotice() {
  const t = useText()
  const { notices } = useServices()
  const { shown } = useSnapshot(notices.subscribe, notices.state)
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

function LastNotice() {
  const t = useText()
  const { notices } = useServices()
  const { shown, last } = useSnapshot(notices.subscribe, notices.state)
  const notice = shown ?? last
  if (!notice) return null
  return (
    <PastNotice
      tone={notice.tone}
      label={t('notice.last')}
      text={textOf(t, notice.message)}
      isHidden={shown !== undefined}
    />
  )
}

function textOf(t: Translate, message: NoticeMessage): string {
  if ('text' in message) return message.text
  const { key, values, incident } = message
  return incident ? `${t(key, values)} ${t('notice.incident', { incident })}` : t(key, values)
}
