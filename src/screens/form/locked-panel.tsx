import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

/** Says that another browser tab has this form, and lets the applicant take it back (D32). */
export function LockedPanel({ onTakeBack }: { onTakeBack: () => void }) {
  const t = useText()
  return (
    <Panel tone="warning" heading={t('form.elsewhere')} announce>
      <p>{t('form.elsewhereLead')}</p>
      <ButtonRow>
        <Button variant="secondary" onClick={onTakeBack}>
          {t('form.takeBack')}
        </Button>
      </ButtonRow>
    </Panel>
  )
}
