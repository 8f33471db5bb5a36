import { useRef, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { useFinalParams } from './final-route.ts'
import styles from './final-screen.module.css'

/** The receipt to somebody with a printer, by the phone's own share sheet; absent where there is none (F7). */
export function ReceiptShare() {
  const t = useText()
  const language = useLanguage()
  const { device, notices, receipts } = useServices()
  const { appId, appNumber } = useFinalParams()
  const ready = useRef<{ language: string; file: Blob }>(undefined)
  const [busy, setBusy] = useState(false)
  if (!device.canShareFiles()) return null

  async function share() {
    setBusy(true)
    const file = ready.current?.language === language ? ready.current.file : await fetchFile()
    if (file) await openShareSheet(file)
    setBusy(false)
  }

  async function fetchFile(): Promise<Blob | undefined> {
    const file = await receipts.load({ appId, language })
    if (file) ready.current = { language, file }
    else notices.raise('warning', { key: 'final.shareFailed' })
    return file
  }

  async function openShareSheet(file: Blob) {
    try {
      await device.shareFile(file, `${appNumber}.pdf`)
    } catch {
      // A browser shares only right after a tap, and a slow line took longer than that: the file is here now.
      notices.raise('warning', { key: 'final.shareAgain' })
    }
  }

  return (
    <div className={styles.action}>
      <Button variant="secondary" busy={busy} busyLabel={t('button.busy')} onClick={() => void share()}>
        {t('button.share')}
      </Button>
    </div>
  )
}
