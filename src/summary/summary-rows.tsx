import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import type { SummaryRow } from './summary-sections.ts'

/** Shows the rows of one section. `bdi` isolates the direction of an answer from the page. */
export function SummaryRows({ rows }: { rows: readonly SummaryRow[] }) {
  const t = useText()
  return (
    <SummaryList
      rows={rows.map(({ label, value }) => ({
        term: t(`field.${label}`),
        value: <bdi>{label === 'email' ? breakBeforeDomain(value) : value}</bdi>,
      }))}
    />
  )
}

/** Lets an e-mail address that is too long for its line break before the `@`, not inside a word. */
function breakBeforeDomain(address: string): ReactNode {
  const at = address.lastIndexOf('@')
  return at < 0 ? (
    address
  ) : (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  )
}
