import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import type { AnswerRow } from './summary-sections.ts'

/**
 * Shows the rows of one section. `bdi` isolates the writing direction of an answer from the page. `wbr` lets the
 * browser break a long e-mail address before the `@`, not inside a word.
 */
export function SummaryRows({ rows }: { rows: readonly AnswerRow[] }) {
  const t = useText()
  return (
    <SummaryList
      rows={rows.map(({ label, value }) => ({
        term: t(`field.${label}`),
        value: (
          <bdi>{value.split(/(?=@)/).map((part, index) => [index > 0 && <wbr key={index} />, part])}</bdi>
        ),
      }))}
    />
  )
}
