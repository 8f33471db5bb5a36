import { networkPagePath } from '#contract/codes.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { unloadWarning } from '#device/unload-warning.ts'
import type { Countdown } from '#sign-in/countdown.ts'
import { useSecondsLeft } from '#sign-in/seconds-left.ts'
import { areSentAutomatically } from '#sync/check-synced.ts'
import type { ConnectionState } from '#sync/connection-state.ts'
import type { IconName } from '#ui/icon.tsx'
import { OfflineBanner } from '#ui/offline-banner.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'

const texts: Record<Exclude<ConnectionState, 'online'>, MessageKey> = {
  offline: 'notice.offline',
  foreign: 'notice.foreign',
  'no-answer': 'notice.unreachable',
  busy: 'notice.busy',
}

/** For the states whose cause may not be the network of the applicant. The other states have the crossed-out signal. */
const icons: Partial<Record<ConnectionState, IconName>> = { 'no-answer': 'warning', busy: 'clock' }

/**
 * Says why the service does not serve the applicant: the device is offline (ERR25), or another state of D34,
 * such as `foreign`: a Wi-Fi that wants a sign-in answers in place of the service.
 */
export function OfflineNotice() {
  const t = useText()
  const { connectivity, sync } = useServices()
  const state = useSnapshot(connectivity.subscribeToState, connectivity.state)
  // The snapshot is a boolean: the list itself changes with every saved field.
  const readUnsent = () => areSentAutomatically(sync.list())
  const willBeSent = useSnapshot(sync.subscribe, readUnsent)
  /** Whether a reload would lose no answers. */
  const isKept = !useSnapshot(unloadWarning.subscribe, unloadWarning.state)
  const nextTry = useSnapshot(connectivity.subscribeToNextTry, connectivity.nextTry)
  return (
    <OfflineBanner
      text={state === 'online' ? undefined : t(nextTry ? 'notice.waiting' : texts[state])}
      icon={icons[state]}
    >
      {nextTry && <NextTry countdown={nextTry} />}
      {state === 'foreign' && (
        <a href={networkPagePath} target="_blank" rel="noreferrer">
          {t('notice.openNetworkPage')}
        </a>
      )}{' '}
      {willBeSent && isKept && t('notice.keptUnsent')}
    </OfflineBanner>
  )
}

/** A timer, because a screen reader need not say each second. */
function NextTry({ countdown }: { countdown: Countdown }) {
  const t = useText()
  return <span role="timer">{t('notice.nextTry', { seconds: useSecondsLeft(countdown) })}</span>
}
