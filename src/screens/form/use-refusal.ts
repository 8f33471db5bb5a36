import { useState } from 'react'
import type { Tab } from '#contract/application.ts'

/**
 * The tab whose issues stopped Continue or Submit. `count` rises with every refusal, so that the error summary is
 * mounted again and takes the focus again.
 */
export type Refusal = { tab: Tab; count: number }

export function useRefusal(openTab: (tab: Tab) => Promise<void>) {
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined)

  /** Shows the issues of a tab, and opens that tab. */
  async function refuse(tab: Tab) {
    setRefusal(last => ({ tab, count: (last?.count ?? 0) + 1 }))
    await openTab(tab)
  }

  return { refusal, refuse, clearRefusal: () => setRefusal(undefined) }
}
