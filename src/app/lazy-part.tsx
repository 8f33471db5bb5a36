import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { Loader } from '#ui/loader.tsx'

/** `failed`: the text after a failed load. `showsLoading`: says that the part loads; else nothing is shown then. */
type LazyPartOptions = { failed?: MessageKey; showsLoading?: boolean }

/**
 * Returns a component for a rare part of a page. The part loads when the component is first shown. If every attempt
 * fails, the component says so and offers to load the part again; the rest of the page stays usable. `name`: unique
 * among the parts.
 */
export function lazyPart<Props extends object>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
  { failed = 'part.failed', showsLoading = false }: LazyPartOptions = {},
) {
  // A query, because `lazy` of React never tries again after a failed load.
  const partQuery = queryOptions({
    queryKey: ['part', name],
    queryFn: () => loadWithRetry(load),
    staleTime: Infinity,
    gcTime: Infinity,
  })
  return function LazyPart(props: Props) {
    const t = useText()
    const part = useQuery(partQuery)
    if (part.isError) return <RetryPanel text={t(failed)} query={part} />
    if (part.data) return <part.data {...props} />
    return showsLoading && <Loader text={t('app.loading')} />
  }
}
