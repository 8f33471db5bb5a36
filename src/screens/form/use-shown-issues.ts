import { useState } from 'react'
import type { Tab } from '#contract/application.ts'

/**
 * The tab whose issues stopped Continue or Submit. `count` rises with every stop while issues are shown, so
 * that the error summary is mounted again and takes the focus again.
 */
export type ShownIssues = { tab: Tab; count: number }

export function useShownIssues(openTab: (tab: Tab) => Promise<void>) {
  const [shownIssues, setShown] = useState<ShownIssues | undefined>(undefined)

  /** Shows the issues of a tab, and opens that tab. */
  async function showIssues(tab: Tab) {
    setShown(last => ({ tab, count: (last?.count ?? 0) + 1 }))
    await openTab(tab)
  }

  return { shownIssues, showIssues, hideIssues: () => setShown(undefined) }
}
