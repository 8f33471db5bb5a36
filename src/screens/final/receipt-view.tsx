import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { type Services, useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { takeLostFocus } from '#ui/take-focus.ts'
import styles from './final-screen.module.css'
import type { OpenPdf } from './pdf-drawing.ts'
import { ReceiptCode, useReceiptCode } from './receipt-code.tsx'
import { useLoadReceipt } from './use-load-receipt.ts'

type View =
  | { kind: 'hidden' }
  | { kind: 'opening' }
  | { kind: 'failed' }
  | { kind: 'shown'; pages: OpenPdf['pages']; draw: typeof import('./pdf-drawing.ts').drawPage }

type ShownView = Extract<View, { kind: 'shown' }>

/**
 * Shows the receipt inside the portal, online and offline (D37, S97): first its code with the data for the clerk, then
 * on demand the pages of the PDF. When the receipt has no code, or a part of the code view does not load, the first press
 * opens these pages.
 */
export function ReceiptView() {
  const t = useText()
  const { code, load } = useReceiptCode()
  const isKiosk = useServices().deviceUse.current().kind === 'kiosk'
  const { view, show, hide, fail } = useReceiptPages()
  const [isAsked, setAsked] = useState(useLocation({ select: ({ state }) => state.showsReceipt === true }))
  const isWaiting = isAsked && code.kind === 'waiting'
  const isCodeShown = isAsked && code.kind === 'ready'
  const isShown = isCodeShown || view.kind === 'shown'

  async function toggle() {
    setAsked(!isShown)
    hide()
    if (!isShown && !(await load())) await show()
  }

  return (
    <>
      <div className={styles.action}>
        <Button
          variant="secondary"
          aria-expanded={isShown}
          busy={!isShown && (view.kind === 'opening' || (isWaiting && view.kind === 'hidden'))}
          busyLabel={t('button.busy')}
          onClick={() => void toggle()}
        >
          {t(isShown ? 'button.hideReceipt' : 'button.showReceipt')}
        </Button>
      </div>
      {isCodeShown && <ReceiptCode {...code} />}
      {isCodeShown && view.kind !== 'shown' && (
        <div className={styles.action}>
          <Button
            variant="secondary"
            busy={view.kind === 'opening'}
            busyLabel={t('button.busy')}
            onClick={() => void show()}
          >
            {t('final.showPages')}
          </Button>
        </div>
      )}
      {view.kind === 'failed' && (
        <Panel tone="warning" announce>
          {t(isKiosk ? 'final.kioskFailed' : 'final.showFailed')}
        </Panel>
      )}
      {view.kind === 'shown' && <ReceiptPages view={view} onFailed={fail} />}
    </>
  )
}

/** The pages of the PDF, and the functions that show and hide them. */
function useReceiptPages() {
  const services = useServices()
  const loadReceipt = useLoadReceipt()
  const [view, setView] = useState<View>({ kind: 'hidden' })

  async function show() {
    if (view.kind === 'opening') return
    setView({ kind: 'opening' })
    const file = await loadReceipt()
    const next: View = file ? await openReceipt(services, file) : { kind: 'failed' }
    // The applicant may have hidden the receipt while it opened.
    setView(current => (current.kind === 'opening' ? next : current))
  }

  return { view, show, hide: () => setView({ kind: 'hidden' }), fail: () => setView({ kind: 'failed' }) }
}

async function openReceipt(services: Services, file: Blob): Promise<View> {
  try {
    const { openPdf, drawPage } = await import('./pdf-drawing.ts')
    return { kind: 'shown', ...(await openPdf(services, file)), draw: drawPage }
  } catch {
    return { kind: 'failed' } // the viewer did not load or cannot show this file; a download may still work
  }
}

function ReceiptPages({ view, onFailed }: { view: ShownView; onFailed: () => void }) {
  const t = useText()
  return (
    // When the pages appear below the code, the button that opened them disappears, and with it the focus.
    <div ref={takeLostFocus} tabIndex={-1}>
      <p>{t('final.receiptKept')}</p>
      {view.pages.map((page, index) => (
        <canvas
          key={page.pageNumber}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn by script, there is no image file
          role="img"
          className={styles.sheet}
          aria-label={t('final.receiptPage', { page: index + 1, total: view.pages.length })}
          ref={canvas => (canvas ? view.draw(page, canvas, onFailed) : undefined)}
        />
      ))}
    </div>
  )
}
