import { type ComponentType, lazy, Suspense, useState } from 'react'
import type { FormValues } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import type { EarlierAnswersProps } from './earlier-answers.tsx'

const EarlierAnswers = lazy(() => loadEarlierAnswers().then(component => ({ default: component })))

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
        <Suspense fallback={<Loader text={t('app.loading')} />}>
          <EarlierAnswers onRestore={onRestore} onClose={close} />
        </Suspense>
      </Dialog>
    </>
  )
}

async function loadEarlierAnswers(): Promise<ComponentType<EarlierAnswersProps>> {
  try {
    return (await loadWithRetry(() => import('./earlier-answers.tsx'))).EarlierAnswers
  } catch {
    return LoadFailed
  }
}

function LoadFailed() {
  return <Panel tone="warning">{useText()('earlier.failed')}</Panel>
}
