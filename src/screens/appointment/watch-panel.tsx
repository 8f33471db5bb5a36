import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useIntl } from 'react-intl'
import { isForTheScreen } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { toldAtMost, type Watch } from '#contract/watch.ts'
import { formatDay } from '#i18n/format.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { toLanguage } from '#i18n/language.ts'
import { useServerInfo, useServices } from '#portal/services.ts'
import { gate } from '#sync/gate.ts'
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
  const language = toLanguage(useIntl().locale)
  const { queries } = useServices()
  const server = useServerInfo()
  const isKnown = server.value?.features.includes('watch') === true
  const watch = useQuery({ ...queries.watch(appId, language), enabled: isKnown })
  if (watch.data === undefined) return null
  const isOffered = officeId !== '' && dates !== undefined && mayWatch(dates, server.value?.time)
  if (!watch.data && !isOffered) return null
  return <Switch appId={appId} officeId={officeId} dates={dates} watch={watch.data} />
}

type SwitchProps = WatchPanelProps & { watch: Watch | null }

/** One button for on and off, so that the focus stays where it is. */
function Switch({ appId, officeId, dates, watch }: SwitchProps) {
  const t = useText()
  const language = toLanguage(useIntl().locale)
  const { call, device, line, notices, queryClient } = useServices()
  const intent = useRef({ wish: '', key: '' })
  const [busy, setBusy] = useState(false)
  const hasNone = watch ? watch.before === null : dates?.length === 0

  async function change() {
    if (gate({ offline: line.isDown(), unsent: 0 }).kind === 'offline')
      return notices.raise('warning', { key: 'notice.offline' })
    setBusy(true)
    const result = watch ? await stop() : await start()
    if (result.ok) intent.current = { wish: '', key: '' }
    else if (isForTheScreen(result.problem)) notices.raise('warning', { key: 'notice.generic' })
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
  function keyOf(wish: string): string {
    if (intent.current.wish !== wish) intent.current = { wish, key: device.randomId() }
    return intent.current.key
  }

  return (
    <div className={styles.watch}>
      <Panel heading={t(hasNone ? 'appointment.watchAnyDate' : 'appointment.watch')}>
        <p aria-live="polite">
          {watch ? standing(t, watch, language) : t('appointment.watchWhy', { most: toldAtMost })}
        </p>
        <Button variant="secondary" busy={busy} onClick={() => void change()}>
          {t(watch ? 'appointment.watchStop' : 'appointment.watchStart')}
        </Button>
      </Panel>
    </div>
  )
}

function standing(t: Translate, { office, before, told }: Watch, language: Language): string {
  const what =
    before === null
      ? t('appointment.watchAny', { office })
      : t('appointment.watchBefore', { office, day: formatDay(before, language) })
  return `${what} ${t('appointment.watchCount', { told, most: toldAtMost })}`
}
