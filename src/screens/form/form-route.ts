import { type AnyRouter, useMatches, useParams } from '@tanstack/react-router'
import { type Tab, tabs } from '#contract/application.ts'
import type { Services } from '#app/services.ts'

const formRouteId = '/signed-in/form/$appId/$appNumber'

export type FormParams = ReturnType<typeof useFormParams>

export function useFormParams() {
  return useParams({ from: formRouteId })
}

/** The params of the form that is open now; undefined when the applicant has left it. */
export function currentFormParams({ state }: Pick<AnyRouter, 'state'>): FormParams | undefined {
  const match = state.matches.find(({ routeId }: { routeId: string }) => routeId === formRouteId)
  return match?.params as FormParams | undefined // each match has the params of its route
}

/** Whether this form is open, perhaps under the id that the server has given its application since the form opened (D33). */
export function isFormOpen(
  router: Pick<AnyRouter, 'state'>,
  { sync }: Pick<Services, 'sync'>,
  openedAs: string,
): boolean {
  const appId = currentFormParams(router)?.appId
  return appId !== undefined && (appId === openedAs || appId === sync.serverIdOf(openedAs))
}

/** The tab on the screen, read from the matches: while the next page loads, the location is already that of the next page. */
export function useTab(): Tab {
  return useMatches({ select: matches => tabOf(matches.at(-1)?.pathname ?? '') })
}

/** The result returns the tab of this form that is open, or was last seen open: a save may run after the form has closed. */
export function createCurrentTab(...form: Parameters<typeof isFormOpen>): () => Tab {
  const [router] = form
  let tab: Tab
  const currentTab = () => {
    if (isFormOpen(...form)) tab = tabOf(router.state.matches.at(-1)?.pathname ?? '')
    return tab
  }
  tab = currentTab()
  return currentTab
}

export function tabOf(pathname: string): Tab {
  return tabs.find(tab => pathname.endsWith(`/${tab}`)) ?? 'GeneralData'
}

export function tabBefore(tab: Tab): Tab | undefined {
  return tabs[tabs.indexOf(tab) - 1]
}

export function tabAfter(tab: Tab): Tab | undefined {
  return tabs[tabs.indexOf(tab) + 1]
}
