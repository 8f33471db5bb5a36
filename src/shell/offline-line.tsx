import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { countUnsent } from '#sync/count-unsent.ts'
import { OfflineBanner } from '#ui/banner.tsx'

/** Said for as long as the service cannot be reached: by its line, surely (ERR25), or by whatever else (D34). */
export function OfflineLine() {
  const t = useText()
  const { device, line, sync } = useServices()
  const down = useSyncExternalStore(line.subscribe, line.isDown, line.isDown)
  // A number: what stands in the list changes with every answer that is kept.
  const count = () => sync.list().reduce((sum, { standing }) => sum + countUnsent(standing), 0)
  const unsent = useSyncExternalStore(sync.subscribe, count, count)
  return (
    <OfflineBanner
      text={down ? t(device.seemsOnline() ? 'notice.unreachable' : 'notice.offline') : undefined}
    >
      {unsent > 0 && t('notice.keptUnsent')}
    </OfflineBanner>
  )
}
