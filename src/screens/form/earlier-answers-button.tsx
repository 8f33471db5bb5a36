import { useState } from 'react'
import type { FormValues } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { lazyPart } from '#app/lazy-part.tsx'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

const EarlierAnswers = lazyPart(
  'earlier',
  async () => (await import('./earlier-answers.tsx')).EarlierAnswers,
  {
    showsLoading: true,
  },
)

type EarlierAnswersButtonProps = {
  /** Replaces the answers of the form. Resolves to false when nothing was restored. */
  onRestore: (values: FormValues) => Promise<boolean>
}

/** Opens the earlier answers of this form that the device has kept (D63). */
export function EarlierAnswersButton({ onRestore }: EarlierAnswersButtonProps) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <ButtonRow>
        <Button variant="quiet" onClick={() => setIsOpen(true)}>
          {t('earlier.button')}
        </Button>
      </ButtonRow>
      <Dialog
        open={isOpen}
        heading={t('earlier.button')}
        onClose={close}
        actions={
          <Button variant="secondary" onClick={close}>
            {t('button.close')}
          </Button>
        }
      >
        <EarlierAnswers onRestore={onRestore} onClose={close} />
      </Dialog>
    </>
  )
}
