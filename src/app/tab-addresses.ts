import type { Tab } from '#contract/application.ts'

/** Each tab of the form has its own URL (NAV05). */
export const tabAddresses = {
  GeneralData: '/form/$appId/$appNumber/GeneralData',
  PersonData: '/form/$appId/$appNumber/PersonData',
  ParentData: '/form/$appId/$appNumber/ParentData',
  NicData: '/form/$appId/$appNumber/NicData',
} as const satisfies Record<Tab, string>
