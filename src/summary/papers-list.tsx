import type { Paper } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'

/** Lists the papers that an office requires, in the order in which it checks them (F13). */
export function PapersList({ papers }: { papers: readonly Paper[] }) {
  const t = useText()
  return (
    <ul data-listen>
      {papers.map(paper => (
        <li key={paper}>{t(`paper.${paper}`)}</li>
      ))}
    </ul>
  )
}
