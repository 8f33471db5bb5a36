import { type FormEvent, useRef, useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import { apiRoot } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { receiptTicketFeature } from '#contract/receipt-keys.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { requireReachable } from '#app/require-synced.ts'
import { Button, type ButtonVariant } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { takeLostFocus } from '#ui/take-focus.ts'
import { useBusy } from '#ui/use-busy.ts'
import { useFinalParams } from './final-route.ts'
import { useLoadReceipt } from './use-load-receipt.ts'
import styles from './final-screen.module.css'

/**
 * Downloads the receipt (FIN03). If that fails with a connection, a plain HTML form requests the file instead (S13).
 */
export function ReceiptDownload({ variant }: { variant: ButtonVariant }) {
  const t = useText()
  const { device, connectivity, notices, session } = useServices()
  const { appNumber } = useFinalParams()
  const loadReceipt = useLoadReceipt()
  const { busy, runOnce } = useBusy()
  const [hasFailed, setFailed] = useState(false)

  async function download() {
    const hasEnded = session.watchEnd()
    const receipt = await loadReceipt()
    // A notice would hide the one of the log-out.
    if (hasEnded()) return
    if (receipt) device.download(receipt, `${appNumber}.pdf`)
    const isOffline = connectivity.isUnreachable()
    if (!receipt && isOffline) notices.raise('warning', { key: 'notice.offline' })
    // Offline, a plain form would open an error page of the browser.
    setFailed(!receipt && !isOffline)
  }

  if (hasFailed) return <ReceiptForm variant={variant} />
  return (
    <div className={styles.action}>
      <Button
        variant={variant}
        busy={busy}
        busyLabel={t('button.busy')}
        onClick={() => void runOnce(download)}
      >
        {t('button.downloadPdf')}
      </Button>
    </div>
  )
}

/**
 * Puts a ticket into the page only while the form is being sent. A ticket opens this receipt once, within a minute. A back end
 * without tickets gets the access token, as the specification says (S13).
 */
function ReceiptForm({ variant }: { variant: ButtonVariant }) {
  const t = useText()
  const { call, connectivity, navigation, notices, session } = useServices()
  const givesTickets = useServerInfo().value?.features.includes(receiptTicketFeature) === true
  const { appId, appNumber } = useFinalParams()
  const token = useRef<HTMLInputElement>(null)
  const { busy, runOnce } = useBusy()
  const origin = import.meta.env['VITE_API_ORIGIN'] ?? ''

  async function readTicket(): Promise<string | undefined> {
    const answer = await call('receiptTicket', { params: { id: appId } })
    if (answer.ok) return answer.value.data.ticket
    if (isHandledByScreen(answer.problem)) notices.raise('warning', { key: 'notice.generic' })
    return undefined
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    const form = event.currentTarget
    event.preventDefault()
    void runOnce(() => submitToken(form))
  }

  async function submitToken(form: HTMLFormElement) {
    if (!(await requireReachable({ connectivity, navigation, notices }))) return
    const secret = givesTickets ? await readTicket() : session.token()
    if (!token.current || secret === undefined) return
    token.current.value = secret
    form.submit()
    token.current.value = ''
  }

  return (
    <form
      method="post"
      action={`${origin}${apiRoot}/applications/${appId}/get-pdf/v2/${appNumber}.pdf`}
      target="_blank"
      onSubmit={submit}
    >
      <Panel tone="warning" announce>
        {t('final.downloadFailed')}
      </Panel>
      <input ref={token} type="hidden" name="token" />
      <div className={styles.action}>
        <Button ref={takeLostFocus} type="submit" variant={variant} busy={busy} busyLabel={t('button.busy')}>
          {t('button.downloadPdf')}
        </Button>
      </div>
    </form>
  )
}
