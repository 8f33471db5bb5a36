import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import type { ShownRow } from './shown.ts'

/** One section's questions and answers, read-only. Whatever way an answer runs, the page around it stays. */
export function ShownList({ rows }: { rows: readonly ShownRow[] }) {
  const t = useText()
  return (
    <SummaryList
      rows={rows.map(({ label, value }) => ({ term: t(`field.${label}`), value: <bdi>{value}</bdi> }))}
    />
  )
}
