import type { ReactNode } from 'react'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'

type UnreadablePanelProps = {
  tone?: 'warning' | 'danger' | undefined
  busy?: boolean
  onRetry: () => void
  children: ReactNode
}

/** Says that something could not be read, such as what this device has saved (D74), and reads it again on demand. */
export function UnreadablePanel({ tone = 'warning', busy, onRetry, children }: UnreadablePanelProps) {
  const t = useText()
  return (
    <Panel tone={tone} announce>
      {children}
      <Button
        ref={passFocusToHeadingOnRemoval}
        variant="secondary"
        busy={busy}
        busyLabel={t('button.busy')}
        onClick={onRetry}
      >
        {t('button.retry')}
      </Button>
    </Panel>
  )
}
