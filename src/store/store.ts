import type { Device } from '#device/device.ts'
import { type Database, openDatabase } from './database.ts'
import { createDrafts, type Drafts, type Rejoin } from './drafts.ts'
import { createGuard } from './guard.ts'
import { createLastSeen, type LastSeen } from './last-seen.ts'
import { createOwnerKeeper, type Keep, type Unlocking } from './owner.ts'

/** What this device remembers beyond a preference. */
export type Store = {
  drafts: Drafts
  lastSeen: LastSeen
  /** Makes the signed-in applicant's sealed rows readable, until `lock`. It never fails: the key is in memory too. */
  unlock(applicant: Unlocking, options: { keep: Keep }): Promise<void>
  /** Log-out and inactivity: rows stay, unreadable until the same applicant signs in again. */
  lock(): Promise<void>
}

type Machine = Pick<Device, 'after' | 'monotonic' | 'now'>

export function createStore(device: Device, rejoin: Rejoin): Store {
  return createStoreOn(openDatabase(), device, rejoin)
}

export function createStoreOn(database: Database, device: Machine, rejoin: Rejoin): Store {
  const guard = createGuard(database, device)
  const keeper = createOwnerKeeper(database, guard)
  const owner = keeper.current
  const { forget, ...drafts } = createDrafts({ database, guard, owner, rejoin, now: () => device.now() })
  return {
    drafts,
    lastSeen: createLastSeen({ database, guard, owner }),
    unlock: (applicant, { keep }) => keeper.take(applicant, keep),
    async lock() {
      forget()
      await keeper.forget()
    },
  }
}
