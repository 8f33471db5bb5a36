import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { countUnsent } from '#sync/check-synced.ts'
import { OfflineBanner } from '#ui/offline-banner.tsx'

/** Shown while the service cannot be reached: the device is offline (ERR25), or the service does not answer (D34). */
export function OfflineNotice() {
  const t = useText()
  const { device, connectivity, sync } = useServices()
  const unreachable = useSyncExternalStore(
    connectivity.subscribe,
    connectivity.isUnreachable,
    connectivity.isUnreachable,
  )
  // The snapshot is a number: the list itself changes with every saved field.
  const count = () => sync.list().reduce((sum, { status }) => sum + countUnsent(status), 0)
  const unsent = useSyncExternalStore(sync.subscribe, count, count)
  return (
    <OfflineBanner
      text={unreachable ? t(device.seemsOnline() ? 'notice.unreachable' : 'notice.offline') : undefined}
    >
      {unsent > 0 && t('notice.keptUnsent')}
    </OfflineBanner>
  )
}
