import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import type { SummaryRow } from './summary-sections.ts'

/**
 * Shows the rows of one section. `bdi` isolates the direction of an answer from the page. An e-mail address that is too
 * long for its line breaks before the `@`, not inside a word.
 */
export function SummaryRows({ rows }: { rows: readonly SummaryRow[] }) {
  const t = useText()
  return (
    <SummaryList
      rows={rows.map(({ label, value }) => ({
        term: t(`field.${label}`),
        value: <bdi>{value.split(/(?=@)/).map((part, at) => [at > 0 && <wbr key={at} />, part])}</bdi>,
      }))}
    />
  )
}
