import { type AnyRouter, useLocation, useParams } from '@tanstack/react-router'
import { type Tab, tabs } from '#contract/application.ts'

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

export function useTab(): Tab {
  return useLocation({ select: ({ pathname }) => tabOf(pathname) })
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
