import { keptDays, type KeptKind, keptWithoutEnd } from '#contract/retention.ts'
import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'

const daysOfYear = 365

/**
 * How long each kind of data is kept: the periods that the jobs and the backup of the server enforce, then the kinds
 * that no job deletes (D113).
 */
export function KeptPeriods() {
  const t = useText()
  const showPeriod = (days: number) =>
    days % daysOfYear === 0
      ? t('privacy.years', { count: days / daysOfYear })
      : t('privacy.days', { count: days })
  return (
    <SummaryList
      isReadAloud
      hasLongTerms
      rows={[
        ...keptKinds.map(kind => ({
          term: t(`privacy.kept.${kind}`),
          value: showPeriod(keptDays[kind]),
        })),
        ...keptWithoutEnd.map(kind => ({
          term: t(`privacy.kept.${kind}`),
          value: t(`privacy.noEnd.${kind}`),
        })),
      ]}
    />
  )
}

/** In the order of an applicant's questions. A test compares the list with `keptDays`. */
const keptKinds: readonly KeptKind[] = [
  'unpaid',
  'neverEnrolled',
  'enrolled',
  'deletedApplications',
  'accounts',
  'deletedAccounts',
  'deletedAccountIds',
  'orders',
  'payerPhones',
  'messages',
  'contactChanges',
  'sessions',
  'securityEvents',
  'browsers',
  'codes',
  'cardForms',
  'callAnswers',
  'limits',
  'dormantTries',
  'backups',
]
