import { createLink } from '@tanstack/react-router'
import { type ComponentProps, useSyncExternalStore } from 'react'
import { tabs } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { TabSteps } from '#ui/tab-steps.tsx'
import { tabAddresses, useFormParams, useTab } from './form-route.ts'
import type { FormValidation } from './form-validation.ts'

/** The four tabs as links, each with an icon that says whether its fields have issues (FRM01, FRM04, FRM05, S54). */
export function FormTabs({ validation }: { validation: FormValidation }) {
  const t = useText()
  const params = useFormParams()
  const currentTab = useTab()
  const faulty = useSyncExternalStore(validation.subscribe, validation.faultyTabs)
  const items = tabs.map(tab => ({
    key: tab,
    name: t(`tab.${tab}`),
    icon: faulty.includes(tab) ? ('incomplete' as const) : ('valid' as const),
    iconText: t(faulty.includes(tab) ? 'tab.incomplete' : 'tab.valid'),
    current: tab === currentTab,
  }))
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
