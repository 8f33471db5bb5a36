import type { Paper } from '#contract/papers.ts'
import { useText } from '#i18n/intl.ts'

/** The papers that an office asks for, in the order in which it looks at them (F13). */
export function PapersList({ papers }: { papers: readonly Paper[] }) {
  const t = useText()
  return (
    <ul>
      {papers.map(paper => (
        <li key={paper}>{t(`paper.${paper}`)}</li>
      ))}
    </ul>
  )
}
