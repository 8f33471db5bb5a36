import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'

/** Shown when the data of an application, or its appointment, could not be loaded. */
export function LoadFailed({ onRetry }: { onRetry: () => void }) {
  const t = useText()
  return (
    <>
      <Panel tone="danger" announce>
        {t('form.loadFailed')}
      </Panel>
      <ButtonRow>
        <Button ref={passFocusToHeadingOnRemoval} onClick={onRetry}>
          {t('button.retry')}
        </Button>
      </ButtonRow>
    </>
  )
}
