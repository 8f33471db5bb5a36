import { useRef } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { useBusy } from '#ui/use-busy.ts'
import { useFinalParams } from './final-route.ts'
import { useLoadReceipt } from './use-load-receipt.ts'
import styles from './final-screen.module.css'

/** Sends the receipt through the share sheet of the phone (F7). Absent in browsers that cannot share files. */
export function ReceiptShare() {
  const t = useText()
  const language = useLanguage()
  const { device, notices, session } = useServices()
  const { appNumber } = useFinalParams()
  const loadReceipt = useLoadReceipt()
  const loaded = useRef<{ language: string; file: Blob }>(undefined)
  const { busy, runOnce } = useBusy()
  if (!device.canShareFiles()) return null

  async function share() {
    const file = loaded.current?.language === language ? loaded.current.file : await loadFile()
    if (file) await openShareSheet(file)
  }

  async function loadFile(): Promise<Blob | undefined> {
    const hasEnded = session.watchEnd()
    const file = await loadReceipt()
    if (file) loaded.current = { language, file }
    // A notice would hide the one of the log-out.
    else if (!hasEnded()) notices.raise('warning', { key: 'final.shareFailed' })
    return file
  }

  async function openShareSheet(file: Blob) {
    try {
      await device.shareFile(file, `${appNumber}.pdf`)
    } catch {
      // A browser shares only shortly after a tap. If loading took longer, a second tap shares the loaded file.
      notices.raise('warning', { key: 'final.shareAgain' })
    }
  }

  return (
    <div className={styles.action}>
      <Button
        variant="secondary"
        busy={busy}
        busyLabel={t('button.busy')}
        onClick={() => void runOnce(share)}
      >
        {t('button.share')}
      </Button>
    </div>
  )
}
