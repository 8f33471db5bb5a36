import { useState } from 'react'
import type { AccountSession } from '#contract/account.ts'
import type { SessionId } from '#contract/ids.ts'
import { isHandledByScreen } from '#api/result.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Section } from '#ui/page.tsx'
import { SummaryList } from '#ui/summary-list.tsx'
import styles from './account.module.css'

type SessionListProps = {
  /**
   * As in the server's answer, the session of this page is the first. So the index of another session is its number.
   */
  sessions: readonly AccountSession[]
  /** Called after each attempt, also a failed one: a session may have ended since the server sent the list. */
  onTried: () => void
}

/** The open sessions. A session that the applicant ends here is refused at its next request (NAV31). */
export function SessionList({ sessions, onTried }: SessionListProps) {
  const t = useText()
  const language = useLanguage()
  const { busy, end } = useEnding(sessions, onTried)
  const hasOthers = sessions.length > 1
  return (
    <Section headingId="sessions-heading" heading={t('account.sessions')}>
      {hasOthers && <p className={styles.intro}>{t('account.sessionsWhy')}</p>}
      {sessions.map((session, index) => (
        <div key={session.id} className={styles.session}>
          <SummaryList
            rows={[
              {
                term: t('account.device'),
                value: session.isThis ? t('account.thisDevice') : t('account.otherDevice', { number: index }),
                action: !session.isThis && (
                  <Button
                    ref={passFocusToHeadingOnRemoval}
                    variant="quiet"
                    busy={busy === session.id}
                    onClick={() => void end(session.id)}
                  >
                    {t('account.endSession', { number: index })}
                  </Button>
                ),
              },
              { term: t('account.started'), value: formatMoment(session.startedAt, language) },
              { term: t('account.lastUsed'), value: formatMoment(session.lastUsedAt, language) },
            ]}
          />
        </div>
      ))}
      {hasOthers && (
        <ButtonRow>
          <Button
            ref={passFocusToHeadingOnRemoval}
            variant="secondary"
            busy={busy === 'others'}
            onClick={() => void end('others')}
          >
            {t('account.endOthers')}
          </Button>
        </ButtonRow>
      )}
    </Section>
  )
}

/**
 * Ends one session or all others. A retry uses the same idempotency key until the outcome is known (D13). After a
 * change of the list, a press uses a new key: for the old key the server would only repeat its answer, and a session
 * that has begun since would stay open.
 */
function useEnding(sessions: readonly AccountSession[], onTried: () => void) {
  const { call, notices } = useServices()
  const [busy, setBusy] = useState<SessionId | 'others'>()
  const requestKey = useRequestKey()

  async function end(what: SessionId | 'others') {
    if (busy) return
    setBusy(what)
    const key = requestKey.of([what, sessions.map(({ id }) => id)])
    const result =
      what === 'others'
        ? await call('endOtherSessions', {}, { key })
        : await call('endSession', { params: { id: what } }, { key })
    setBusy(undefined)
    if (result.ok || isHandledByScreen(result.problem)) requestKey.forget()
    if (result.ok) notices.raise('success', { key: 'notice.sessionEnded' })
    else if (isHandledByScreen(result.problem)) notices.raise('warning', { key: 'notice.generic' })
    onTried()
  }

  return { busy, end }
}
