import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { passFocusToHeading } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'

type UnreadablePanelProps = { onRetry: () => void; children: ReactNode }

/** Says that this device cannot read what it has saved, and reads it again on demand (D74). */
export function UnreadablePanel({ onRetry, children }: UnreadablePanelProps) {
  const t = useText()
  return (
    <Panel tone="warning" announce>
      {children}
      <Button ref={passFocusToHeading} variant="secondary" onClick={onRetry}>
        {t('button.retry')}
      </Button>
    </Panel>
  )
}
