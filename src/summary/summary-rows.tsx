import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import type { SummaryRow } from './summary-sections.ts'

/** One section's questions and answers, read-only. Whatever way an answer runs, the page around it stays. */
export function SummaryRows({ rows }: { rows: readonly SummaryRow[] }) {
  const t = useText()
  return (
    <SummaryList
      rows={rows.map(({ label, value }) => ({ term: t(`field.${label}`), value: <bdi>{value}</bdi> }))}
    />
  )
}
