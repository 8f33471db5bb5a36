import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { passFocusToHeading } from '#ui/move-focus.ts'

type RetryPanelProps = {
  tone?: 'warning' | 'danger'
  text: string
  query: { isFetching: boolean; refetch: () => Promise<unknown> }
}

/** Shows the text of a failed query, with a button that repeats the query. */
export function RetryPanel({ tone = 'warning', text, query }: RetryPanelProps) {
  const t = useText()
  return (
    <Panel tone={tone} announce>
      <p>{text}</p>
      <Button
        ref={passFocusToHeading}
        variant="secondary"
        busy={query.isFetching}
        busyLabel={t('button.busy')}
        onClick={() => void query.refetch()}
      >
        {t('button.retry')}
      </Button>
    </Panel>
  )
}
