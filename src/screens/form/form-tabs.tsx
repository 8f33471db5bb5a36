import { createLink } from '@tanstack/react-router'
import { type ComponentProps, useSyncExternalStore } from 'react'
import { tabs } from '#contract/application.ts'
import { tabAddresses } from '#app/tab-addresses.ts'
import { useText } from '#i18n/intl.ts'
import { TabSteps } from '#ui/tab-steps.tsx'
import { useFormParams, useTab } from './form-route.ts'
import type { FormValidation, TabMark } from './form-validation.ts'

/**
 * `untried`: the tab has issues, but neither Continue on it nor Submit was refused yet. `none`: no icon, so the number of the
 * tab is shown.
 */
const icons = { valid: 'valid', untried: 'none', incomplete: 'incomplete' } as const satisfies Record<
  TabMark,
  string
>

/**
 * The four tabs as links, each with a word that says whether its fields have issues (FRM01, FRM04, FRM05, S54). A tab
 * without issues has a tick. A tab with issues has its number, and after a refused Continue or Submit a warning icon.
 */
export function FormTabs({ validation }: { validation: FormValidation }) {
  const t = useText()
  const params = useFormParams()
  const currentTab = useTab()
  // The snapshot is a string, so that React compares it by value.
  useSyncExternalStore(validation.subscribe, () => tabs.map(validation.markOf).join())
  const items = tabs.map(tab => {
    const mark = validation.markOf(tab)
    return {
      key: tab,
      name: t(`tab.${tab}`),
      icon: icons[mark],
      iconText: t(mark === 'valid' ? 'tab.valid' : 'tab.incomplete'),
      current: tab === currentTab,
    }
  })
  return (
    <TabSteps
      label={t('tab.label')}
      items={items}
      // Preloads all four tabs with the form, so that they open offline.
      renderLink={({ key }, className, content) => (
        <StepLink to={tabAddresses[key]} params={params} className={className} preload="render">
          {content}
        </StepLink>
      )}
    />
  )
}

/** The router sets aria-current to `page`; here the current link is a step. */
const StepLink = createLink(({ 'aria-current': current, children, ...anchor }: ComponentProps<'a'>) => (
  <a {...anchor} aria-current={current ? 'step' : undefined}>
    {children}
  </a>
))
