import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button, type ButtonVariant } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import styles from './final-screen.module.css'
import { useLoadReceipt } from './use-load-receipt.ts'

/** Prints the receipt without a download, because a downloaded file would stay on a kiosk (D38). */
export function ReceiptPrint({ variant }: { variant: ButtonVariant }) {
  const t = useText()
  const services = useServices()
  const { device, deviceUse, notices } = services
  const loadReceipt = useLoadReceipt()
  const isKiosk = deviceUse.current().kind === 'kiosk'
  const failed = { key: isKiosk ? 'final.kioskFailed' : 'final.printFailed' } as const
  const { busy, runOnce } = useBusy()

  async function print() {
    const receipt = await loadReceipt()
    if (receipt) await printReceipt(receipt)
    else notices.raise('warning', failed)
  }

  async function printReceipt(receipt: Blob) {
    try {
      const { drawForPaper, openPdf } = await import('./pdf-drawing.ts')
      await device.printPages(await drawForPaper(await openPdf(services, receipt)))
    } catch {
      // The viewer did not load, or this browser cannot draw.
      notices.raise('warning', failed)
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
