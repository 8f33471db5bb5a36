import { createContext, useContext } from 'react'
import type { TabLock } from './tab-lock.ts'

/** The lock that lets one browser tab edit the form. The tabs of the form are routes, so they cannot get it as a property. */
export const TabLockContext = createContext<TabLock | undefined>(undefined)

export function useTabLock(): TabLock {
  const tabLock = useContext(TabLockContext)
  if (!tabLock) throw new Error('A tab of the form is outside a form')
  return tabLock
}
