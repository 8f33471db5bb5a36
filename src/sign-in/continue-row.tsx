import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'

export type BackButton = { label: string; onPress: () => void }

/** The Continue button, which submits the form, and the Back button. */
export function ContinueRow({ busy, back }: { busy: boolean; back: BackButton }) {
  const t = useText()
  return (
    <ButtonRow>
      <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
        {t('button.continue')}
      </Button>
      <Button variant="secondary" onClick={back.onPress}>
        {back.label}
      </Button>
    </ButtonRow>
  )
}
