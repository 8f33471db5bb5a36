import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { maxNotifications, type Watch } from '#contract/watch.ts'
import { formatDay } from '#i18n/format.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { checkSynced } from '#sync/check-synced.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { mayWatch } from './may-watch.ts'
import styles from './watch-panel.module.css'

type WatchPanelProps = {
  appId: ApplicationId
  officeId: string
  /** What the office offers, once it is known. */
  dates: readonly string[] | undefined
}

/** To be told when a place opens (F10): offered where it helps, and shown wherever it is in force. */
export function WatchPanel({ appId, officeId, dates }: WatchPanelProps) {
  const language = useLanguage()
  const { queries } = useServices()
  const server = useServerInfo()
  const isKnown = server.value?.features.includes('watch') === true
  const watch = useQuery({ ...queries.watch(appId, language), enabled: isKnown })
  if (watch.data === undefined) return null
  const isOffered = officeId !== '' && dates !== undefined && mayWatch(dates, server.value?.time)
  if (!watch.data && !isOffered) return null
  return <WatchSwitch appId={appId} officeId={officeId} dates={dates} watch={watch.data} />
}

type SwitchProps = WatchPanelProps & { watch: Watch | null }

/** One button for on and off, so that the focus stays where it is. */
function WatchSwitch({ appId, officeId, dates, watch }: SwitchProps) {
  const t = useText()
  const language = useLanguage()
  const { call, device, connectivity, notices, queryClient } = useServices()
  const requestKey = useRef({ wish: '', key: '' })
  const [busy, setBusy] = useState(false)
  const hasNone = watch ? watch.before === null : dates?.length === 0

  async function change() {
    if (checkSynced({ offline: connectivity.isUnreachable(), unsent: 0 }).kind === 'offline')
      return notices.raise('warning', { key: 'notice.offline' })
    setBusy(true)
    const result = watch ? await stop() : await start()
    if (result.ok) requestKey.current = { wish: '', key: '' }
    else if (isHandledByScreen(result.problem)) notices.raise('warning', { key: 'notice.generic' })
    await queryClient.invalidateQueries({ queryKey: ['watch', appId] })
    return setBusy(false)
  }

  function start() {
    const request = { params: { id: appId }, query: { lg: language }, body: { officeId } }
    return call('startWatch', request, { key: keyOf(`start ${officeId}`) })
  }

  function stop() {
    return call('stopWatch', { params: { id: appId } }, { key: keyOf('stop') })
  }

  /** Sent again without an answer it is the same intent (D13). */
  function keyOf(request: string): string {
    if (requestKey.current.wish !== request) requestKey.current = { wish: request, key: device.randomId() }
    return requestKey.current.key
  }

  return (
    <div className={styles.watch}>
      <Panel heading={t(hasNone ? 'appointment.watchAnyDate' : 'appointment.watch')}>
        <p aria-live="polite">
          {watch ? watchText(t, watch, language) : t('appointment.watchWhy', { most: maxNotifications })}
        </p>
        <Button variant="secondary" busy={busy} onClick={() => void change()}>
          {t(watch ? 'appointment.watchStop' : 'appointment.watchStart')}
        </Button>
      </Panel>
    </div>
  )
}

function watchText(t: Translate, { office, before, told }: Watch, language: Language): string {
  const what =
    before === null
      ? t('appointment.watchAny', { office })
      : t('appointment.watchBefore', { office, day: formatDay(before, language) })
  return `${what} ${t('appointment.watchCount', { told, most: maxNotifications })}`
}
