import type { UseQueryResult } from '@tanstack/react-query'
import type { Translate } from '#i18n/intl.ts'
import type { SelectState } from '#ui/select-field.tsx'

/** What a list of the booking shows while it loads, and when it cannot be read. */
export function stateOfList(t: Translate, query: UseQueryResult): SelectState {
  if (query.data !== undefined) return { kind: 'ready' }
  if (query.isFetching || !query.isError) return { kind: 'loading', text: t('select.loading') }
  return {
    kind: 'failed',
    text: t('select.fetchOptionsError'),
    retryLabel: t('button.retry'),
    onRetry: () => void query.refetch(),
  }
}
