import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'
import type { Drawing } from './pdf-drawing.ts'

type View =
  | { kind: 'hidden' }
  | { kind: 'opening' }
  | { kind: 'failed' }
  | { kind: 'shown'; pages: Drawing['pages']; draw: typeof import('./pdf-drawing.ts').drawPage }

/** The receipt inside the portal, with or without the line (D37, S97). */
export function ReceiptView() {
  const t = useText()
  const language = useLanguage()
  const services = useServices()
  const { appId } = useFinalParams()
  const [view, setView] = useState<View>({ kind: 'hidden' })

  async function show() {
    if (view.kind === 'opening') return
    setView({ kind: 'opening' })
    const file = await services.receipts.load({ appId, language })
    setView(file ? await open(file) : { kind: 'failed' })
  }

  async function open(file: Blob): Promise<View> {
    try {
      const { openDrawing, drawPage } = await import('./pdf-drawing.ts')
      return { kind: 'shown', ...(await openDrawing(services, file)), draw: drawPage }
    } catch {
      return { kind: 'failed' } // the viewer is not on this phone yet, or cannot run on it: the file remains
    }
  }

  function fail() {
    setView({ kind: 'failed' })
  }

  const shown = view.kind === 'shown'
  return (
    <>
      <div className={styles.action}>
        <Button
          variant="secondary"
          aria-expanded={shown}
          busy={view.kind === 'opening'}
          busyLabel={t('button.busy')}
          onClick={() => (shown ? setView({ kind: 'hidden' }) : void show())}
        >
          {t(shown ? 'button.hideReceipt' : 'button.showReceipt')}
        </Button>
      </div>
      {view.kind === 'failed' && (
        <Panel tone="warning" announce>
          {t('final.showFailed')}
        </Panel>
      )}
      {shown && (
        <div className={styles.receipt}>
          <p>{t('final.receiptKept')}</p>
          {view.pages.map((page, index) => (
            <canvas
              key={page.pageNumber}
              // eslint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is drawn here, no file has it
              role="img"
              className={styles.sheet}
              aria-label={t('final.receiptPage', { page: index + 1, total: view.pages.length })}
              ref={canvas => (canvas ? view.draw(page, canvas, fail) : undefined)}
            />
          ))}
        </div>
      )}
    </>
  )
}
