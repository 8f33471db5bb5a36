import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { countUnsent } from '#sync/count-unsent.ts'
import { OfflineBanner } from '#ui/banner.tsx'

/** Said for as long as the service cannot be reached: by its line, surely (ERR25), or by whatever else (D34). */
export function OfflineNotice() {
  const t = useText()
  const { device, connectivity, sync } = useServices()
  const unreachable = useSyncExternalStore(
    connectivity.subscribe,
    connectivity.isUnreachable,
    connectivity.isUnreachable,
  )
  // A number: what stands in the list changes with every answer that is kept.
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
