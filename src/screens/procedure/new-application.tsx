import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import { useText } from '#i18n/intl.ts'
import { type Services, useLoadedServices } from '#app/services.ts'
import { placeholderNumber } from '#sync/local-id.ts'
import { Icon } from '#ui/icon.tsx'
import { Spinner } from '#ui/spinner.tsx'
import styles from './new-application.module.css'

/** The tile that starts an application (LST09). */
export function NewApplication({ applicantId }: { applicantId: string }) {
  const t = useText()
  const services = useLoadedServices()
  const navigate = useNavigate()
  const id = useId()
  const [busy, setBusy] = useState(false)

  async function start() {
    const { queries, queryClient } = services
    if (busy) return
    setBusy(true)
    const created = await startOnce(services)
    await queryClient.invalidateQueries({ queryKey: queries.applications(applicantId).queryKey })
    if (created)
      await navigate({
        to: '/form/$appId/$appNumber/GeneralData',
        params: { appId: created.id, appNumber: created.applicationNumber },
      })
    setBusy(false)
  }

  return (
    <button
      type="button"
      className={styles.tile}
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-detail`}
      aria-disabled={busy || undefined}
      onClick={() => void start()}
    >
      <span className={styles.words}>
        <span id={`${id}-name`} className={styles.name}>
          {t('procedure.new')}
        </span>
        <span id={`${id}-detail`} className={styles.detail}>
          {busy ? t('button.busy') : t('procedure.newDetail')}
        </span>
      </span>
      {busy ? <Spinner /> : <Icon name="right" />}
    </button>
  )
}

const requestKeyName = 'new-application'

/** Saves the idempotency key until the server responds, so that a reload never creates a second application (D13). */
async function startOnce({ call, device, notices, sync }: Services) {
  const key = device.readTabText(requestKeyName) ?? device.randomId()
  device.saveTabText(requestKeyName, key)
  const result = await call('createApplication', {}, { key })
  if (result.ok) {
    device.saveTabText(requestKeyName, undefined)
    return result.value.data
  }
  if (result.problem.kind !== 'refused') return startLocally(sync, { key, device, notices })
  device.saveTabText(requestKeyName, undefined)
  if (!isHandledByScreen(result.problem)) return undefined
  const { message } = result.problem
  notices.raise('warning', message === undefined ? { key: 'notice.generic' } : { text: message })
  return undefined
}

/** Without a response the application starts on this device. A later sync creates it with the same key (D33). */
async function startLocally(
  sync: Services['sync'],
  { key, device, notices }: { key: string } & Pick<Services, 'device' | 'notices'>,
) {
  const id = await sync.startLocal(key)
  if (id === undefined) notices.raise('warning', { key: 'notice.offline' })
  else device.saveTabText(requestKeyName, undefined)
  return id && { id, applicationNumber: placeholderNumber }
}
