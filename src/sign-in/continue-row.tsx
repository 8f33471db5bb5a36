import { useText } from '#i18n/intl.ts'
import { Button, ButtonRow } from '#ui/button.tsx'

export type BackButton = { label: string; onPress: () => void }

/** Replaces the label and the look of the button that submits the form. */
export type NextButton = { label: string; variant: 'primary' | 'danger' }

/** The button that submits the form, by default Continue, and the Back button. */
export function ContinueRow({
  busy,
  back,
  next,
}: {
  busy: boolean
  back: BackButton
  next?: NextButton | undefined
}) {
  const t = useText()
  return (
    <ButtonRow>
      <Button type="submit" variant={next?.variant} busy={busy} busyLabel={t('button.busy')}>
        {next?.label ?? t('button.continue')}
      </Button>
      <Button variant="secondary" onClick={back.onPress}>
        {back.label}
      </Button>
    </ButtonRow>
  )
}
