import { useQuery } from '@tanstack/react-query'
import { isHandledByScreen } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { lateAfterDays, maxNotifications, type Watch } from '#contract/watch.ts'
import { formatDay } from '#i18n/format-date.ts'
import { type Translate, useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServerInfo } from '#app/services.ts'
import { requireReachable } from '#app/require-synced.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { Button } from '#ui/button.tsx'
import { passFocusToHeadingOnRemoval } from '#ui/move-focus.ts'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'
import styles from './watch-panel.module.css'

type WatchPanelProps = {
  appId: ApplicationId
  officeId: string
  /** The dates that the office offers; undefined until they have loaded. */
  dates: readonly string[] | undefined
}

/**
 * Lets the applicant ask for a message that comes when an earlier place becomes free (F10). Shown where it helps, and
 * always while a watch is active.
 */
export function WatchPanel({ appId, officeId, dates }: WatchPanelProps) {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const server = useServerInfo()
  const hasWatchFeature = server.value?.features.includes('watch') === true
  const watch = useQuery({ ...queries.watch(appId, language), enabled: hasWatchFeature })
  if (watch.data === undefined) return null
  const isOffered = officeId !== '' && dates !== undefined && offersWatch(dates, server.value?.time)
  if (!watch.data && !isOffered) return null
  return <WatchSwitch appId={appId} officeId={officeId} dates={dates} watch={watch.data} />
}

const dayMs = 24 * 60 * 60 * 1_000

/**
 * Whether an earlier date can be worth waiting for: the office offers none, or only a late one. `now`: the server's
 * time as an ISO string; while it is unknown, no date counts as late.
 */
export function offersWatch(dates: readonly string[], now: string | undefined): boolean {
  const [first] = dates
  if (first === undefined) return true
  return Date.parse(first) - Date.parse(now ?? '') >= lateAfterDays * dayMs
}

type SwitchProps = WatchPanelProps & { watch: Watch | null }

/**
 * One button for on and off, so that it keeps the focus. It disappears when the applicant ends a watch that is not offered
 * again.
 */
function WatchSwitch({ appId, officeId, dates, watch }: SwitchProps) {
  const t = useText()
  const language = useLanguage()
  const { call, connectivity, navigation, notices, queries, queryClient } = useLoadedServices()
  const requestKey = useRequestKey()
  const { busy, runOnce } = useBusy()
  const hasNone = watch ? watch.before === null : dates?.length === 0

  async function change() {
    if (await requireReachable({ connectivity, navigation, notices })) await sendChange()
  }

  async function sendChange() {
    const result = watch ? await stop() : await start()
    const isRefused = !result.ok && isHandledByScreen(result.problem)
    if (result.ok || isRefused) requestKey.forget()
    if (isRefused) notices.raise('warning', { key: 'notice.generic' })
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('watch', appId) })
  }

  function start() {
    const request = { params: { id: appId }, query: { lg: language }, body: { officeId } }
    return call('startWatch', request, { key: requestKey.of(['start', officeId]) })
  }

  function stop() {
    return call('stopWatch', { params: { id: appId } }, { key: requestKey.of(['stop']) })
  }

  return (
    <div className={styles.watch}>
      <Panel heading={t(hasNone ? 'appointment.watchAnyDate' : 'appointment.watch')}>
        <p aria-live="polite">
          {watch ? watchText(t, watch, language) : t('appointment.watchWhy', { most: maxNotifications })}
        </p>
        <Button
          ref={passFocusToHeadingOnRemoval}
          variant="secondary"
          busy={busy}
          onClick={() => void runOnce(change)}
        >
          {t(watch ? 'appointment.watchStop' : 'appointment.watchStart')}
        </Button>
      </Panel>
    </div>
  )
}

function watchText(t: Translate, { office, before, told: sentMessages }: Watch, language: Language): string {
  const what =
    before === null
      ? t('appointment.watchAny', { office })
      : t('appointment.watchBefore', { office, day: formatDay(before, language) })
  return `${what} ${t('appointment.watchCount', { told: sentMessages, most: maxNotifications })}`
}
