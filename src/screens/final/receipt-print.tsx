import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button, type ButtonVariant } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import styles from './final-screen.module.css'
import { useLoadReceipt } from './use-load-receipt.ts'

/**
 * Prints the receipt without a download. On a kiosk this replaces the download, because a downloaded file would stay
 * there (D38); on other devices it is a second way.
 */
export function ReceiptPrint({ variant }: { variant: ButtonVariant }) {
  const t = useText()
  const services = useServices()
  const { device, deviceUse, notices, session } = services
  const loadReceipt = useLoadReceipt()
  const isKiosk = deviceUse.current().kind === 'kiosk'
  const failed = { key: isKiosk ? 'final.kioskFailed' : 'final.printFailed' } as const
  const { busy, runOnce } = useBusy()

  async function print() {
    const hasEnded = session.watchEnd()
    const receipt = await loadReceipt()
    const pages = receipt && (await drawPages(receipt))
    // The next person may use the device: they must get no receipt, and no notice about one.
    if (hasEnded()) return
    if (!pages || !(await printPages(pages))) notices.raise('warning', failed)
  }

  /** Resolves to undefined when pdf.js does not load or cannot read the receipt, or this browser cannot draw the pages. */
  async function drawPages(receipt: Blob): Promise<Blob[] | undefined> {
    try {
      const { drawForPaper, openPdf } = await import('./pdf-drawing.ts')
      return await drawForPaper(await openPdf(services, receipt))
    } catch {
      return undefined
    }
  }

  /** Resolves to false when this browser cannot print the pages. */
  async function printPages(pages: Blob[]): Promise<boolean> {
    try {
      await device.printPages(pages)
      return true
    } catch {
      return false
    }
  }

  return (
    <div className={styles.action}>
      <Button variant={variant} busy={busy} busyLabel={t('button.busy')} onClick={() => void runOnce(print)}>
        {t('button.print')}
      </Button>
    </div>
  )
}
