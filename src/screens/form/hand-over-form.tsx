import { useServices } from '#app/services.ts'
import { HandOver } from '#sign-in/hand-over.tsx'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import { isLocal } from '#sync/local-id.ts'
import { ButtonRow } from '#ui/button.tsx'
import type { Autosave } from './autosave.ts'
import { useFormParams, useTab } from './form-route.ts'
import styles from './space-below.module.css'

type HandOverFormProps = { autosave: Autosave; place: 'top' | 'end' }

/** Hands this form over to another phone, at this tab: on a kiosk above the form, elsewhere below it (D38). */
export function HandOverForm({ autosave, place }: HandOverFormProps) {
  const { deviceUse, serverInfo, sync } = useServices()
  const { appId, appNumber } = useFormParams()
  const tab = useTab()

  async function send() {
    await autosave.flush()
    const status = await sync.flush(appId)
    // The server has the answers that this page knows; the log-out asks about those that the device cannot read (D74).
    if (status?.kind === 'unreadable' && 'draft' in status) return true
    // `none`: the device has no draft, so the server has all answers, unless the device could not save them.
    if (status?.kind === 'none') return autosave.state().kind !== 'not-saved'
    const info = await serverInfo.readAny()
    return status !== undefined && !isOnlyOnDevice(status, info?.epoch)
  }

  const isAtTop = deviceUse.current().kind === 'kiosk'
  if (isAtTop !== (place === 'top')) return null
  // Until the address has the server's id, the other phone opens the list: it does not know the local id.
  const path = isLocal(appId) ? '/procedure' : `/form/${appId}/${appNumber}/${tab}`
  const row = (
    <ButtonRow>
      <HandOver path={path} send={send} />
    </ButtonRow>
  )
  return isAtTop ? <div className={styles.spaceBelow}>{row}</div> : row
}
