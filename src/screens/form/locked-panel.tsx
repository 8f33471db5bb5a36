import { Link } from '@tanstack/react-router'
import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'
import type { TabLock } from './tab-lock.ts'

type LockedPanelProps = { lock: ReturnType<TabLock['state']>; onTakeBack: () => void }

/** Says why this tab cannot edit the form; absent while it can. */
export function LockedPanel({ lock, onTakeBack }: LockedPanelProps) {
  switch (lock) {
    case 'this-tab':
      return null
    case 'other-tab':
      return <OtherTabPanel onTakeBack={onTakeBack} />
    case 'deleted':
      return <DeletedPanel />
  }
}

/** The application was deleted in another tab (LST13), or was already deleted on the server when the form opened. */
export function DeletedPanel() {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('form.deleted')} announce>
      <p>{t('form.deletedLead')}</p>
      <p className="link-line">
        <Link to="/procedure">{t('procedure.heading')}</Link>
      </p>
    </Panel>
  )
}

/** Says that another browser tab has this form, and lets the applicant take it back (D32). */
function OtherTabPanel({ onTakeBack }: { onTakeBack: () => void }) {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('form.elsewhere')} announce>
      <p>{t('form.elsewhereLead')}</p>
      <ButtonRow>
        <Button ref={passFocusToHeadingOnRemoval} variant="secondary" onClick={onTakeBack}>
          {t('form.takeBack')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}
