import type { AccountEvent } from '#contract/account.ts'
import { formatMoment } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { Section } from '#ui/page.tsx'
import { SummaryList } from '#ui/summary-list.tsx'
import styles from './account.module.css'

type EventListProps = {
  events: readonly AccountEvent[]
  /** Whether there are other sessions, which the button above this list ends. */
  hasOtherSessions: boolean
}

/** What happened to the account, the newest first, so that its owner sees a sign-in of another person (D111). */
export function EventList({ events, hasOtherSessions }: EventListProps) {
  const t = useText()
  const language = useLanguage()
  if (events.length === 0) return null
  return (
    <Section headingId="events-heading" heading={t('account.events')}>
      {hasOtherSessions && <p className={styles.intro}>{t('account.eventsWhy')}</p>}
      <SummaryList
        rows={events.map(({ at, kind }) => ({
          key: `${at} ${kind}`,
          term: formatMoment(at, language),
          value: t(`account.event.${kind}`),
        }))}
      />
    </Section>
  )
}
