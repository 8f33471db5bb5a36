import { UnreadablePanel } from './unreadable-panel.tsx'

type RetryPanelProps = {
  tone?: 'warning' | 'danger'
  text: string
  query: { isFetching: boolean; refetch: () => Promise<unknown> }
}

/** Shows the text of a failed query, with a button that repeats the query. */
export function RetryPanel({ tone, text, query }: RetryPanelProps) {
  return (
    <UnreadablePanel tone={tone} busy={query.isFetching} onRetry={() => void query.refetch()}>
      <p>{text}</p>
    </UnreadablePanel>
  )
}
