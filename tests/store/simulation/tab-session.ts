import type { Session } from '#session/session.ts'
import type { DeviceUseSource } from '#store/device-use.ts'
import type { Store } from '#store/store.ts'
import type { Sync, SyncParts } from '#sync/engine.ts'
import type { PendingWrites } from '#sync/pending-writes.ts'
import type { Account } from './account.ts'
import type { Ask } from './line.ts'
import type { Phone } from './phone.ts'
import type { LineFault } from './story.ts'
import type { createTabDevice } from './tab-device.ts'
import type { Applicant } from './virtual-platform.ts'
import type { World } from './world.ts'

/** What the session of a tab uses of the tab. */
export type SessionParts = {
  name: string
  phone: Phone
  world: World
  device: ReturnType<typeof createTabDevice>
  /** Passes a result on only while the tab is alive. */
  guard: <Value>(value: Promise<Value>) => Promise<Value>
  isAlive: () => boolean
  store: () => Store
  sync: () => Sync
  pendingWrites: PendingWrites
  closeForm: () => Promise<void>
  /** The session calls it when the store forgets what the device could not save. */
  forgetMemory: () => void
  die: () => void
}

/** The session of one tab. */
export type TabSession = {
  /** Whose data the tab shows. */
  account: () => Account | undefined
  isSignedIn: () => boolean
  forSync: SyncParts['session']
  /** Calls the server with the token of the session. */
  ask: Ask
  /** Resolves when it is known whether the tab is signed in. */
  ready: () => Promise<unknown>
  /** Resolves when the sync may open the store. */
  storeReady: () => Promise<unknown>
  /** `emitSession` of the world and the act of a sign-in call it when the session of the phone has changed. */
  onSession: () => void
  /** Gives the store the key of the applicant. A real session does so itself. */
  signIn: () => Promise<unknown>
  /** The real session; undefined in the stories with a seed below `firstSessionSeed`. */
  portal: PortalSession | undefined
}

export type PortalSession = {
  session: Session
  deviceUse: DeviceUseSource
  /** The applicant signs in with a right code. The fault meets the request or its answer. */
  logIn: (applicant: Applicant, fault: LineFault | undefined) => Promise<'signed-in' | 'stay' | 'failed'>
  /** The next request of a log-out in this tab meets this fault. */
  setLogOutFault: (fault: LineFault | undefined) => void
}
