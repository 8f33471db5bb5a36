import type { Translate } from '#i18n/intl.ts'
import type { SelectState } from '#ui/select-field.tsx'

/** The part of a query that says whether its list is there. */
export type ListQuery = {
  data?: unknown
  isError: boolean
  isFetching: boolean
  refetch: () => Promise<unknown>
}

/** What a select shows while its list loads, and when the list cannot be read. */
export function stateOfList(t: Translate, query: ListQuery): SelectState {
  if (query.data !== undefined) return { kind: 'ready' }
  if (query.isFetching || !query.isError) return { kind: 'loading', text: t('select.loading') }
  return {
    kind: 'failed',
    text: t('select.fetchOptionsError'),
    retryLabel: t('button.retry'),
    onRetry: () => void query.refetch(),
  }
}
