import { createContext, useContext } from 'react'
import type { TabLock } from './tab-lock.ts'

/** The tabs of the form are routes inside it, so they cannot get its lock as a property. */
export const TabLockContext = createContext<TabLock | undefined>(undefined)

export function useTabLock(): TabLock {
  const tabLock = useContext(TabLockContext)
  if (!tabLock) throw new Error('A tab of the form is outside a form')
  return tabLock
}
