import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { OfflineBanner } from '#ui/banner.tsx'

/** A line that went unanswered is tried again soon, as most faults are short, and then now and then. Milliseconds. */
const tryAgainAfter = { first: 2_000, then: 15_000 }

/** Said for as long as the service cannot be reached (ERR25, D34). */
export function OfflineLine() {
  const t = useText()
  const { line, queries } = useServices()
  const down = useSyncExternalStore(line.subscribe, line.isDown)
  // Only an answer tells that the line is mended, and perhaps nothing else asks for one.
  useQuery({
    ...queries.version(),
    refetchInterval: query =>
      down && (query.state.status === 'error' ? tryAgainAfter.then : tryAgainAfter.first),
  })
  return <OfflineBanner text={down ? t('notice.offline') : undefined} />
}
