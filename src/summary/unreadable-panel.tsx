import type { ReactNode } from 'react'
import { useServices } from '#app/services.ts'
import { useText } from '#i18n/intl.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

/** Says that this device cannot read what it has saved, and reads it again on demand (D74). */
export function UnreadablePanel({ children }: { children: ReactNode }) {
  const t = useText()
  const { sync } = useServices()
  return (
    <Panel tone="warning" announce>
      {children}
      <Button variant="secondary" onClick={sync.readAgain}>
        {t('button.retry')}
      </Button>
    </Panel>
  )
}
