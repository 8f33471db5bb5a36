import type { Session, SessionEndReason } from '#session/session.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { DeviceUseSource } from '#store/device-use.ts'
import type { SessionParts } from './tab-session.ts'

type Parts = Pick<SessionParts, 'phone' | 'world' | 'name'> & { session: Session; deviceUse: DeviceUseSource }

/** After these reasons a shared device deletes rows: after `locked` only those of sent drafts, else all that are not locked. */
const wipes = ['asked', 'inactivity', 'locked'] satisfies SessionEndReason[]

/** Tells the oracle what the end of a session on a shared device deletes, and what must be gone afterwards (D31). */
export function watchEnding({ phone, world, name, session, deviceUse }: Parts) {
  let ownerId: string | undefined
  const mayWipe = (reason: SessionEndReason) => wipes.some(each => each === reason) && !session.hasNewer()

  function forgive(reason: SessionEndReason) {
    if (ownerId === undefined) return
    const locked = phone.disk
      .rows()
      .drafts.filter(({ applicantId, lockedAt }) => applicantId === ownerId && lockedAt !== undefined)
    const kept = reason === 'locked' ? locked.map(({ applicationId }) => applicationId) : []
    phone.wiped.add(ownerId)
    world.account(ownerId).oracle.forgiveWiped(phone, kept)
  }

  const signInCount = (id: string | undefined) => (id === undefined ? undefined : phone.signInCounts.get(id))

  return {
    /** Call after each change of the session. After its end, the tab still deletes the rows of the last applicant. */
    remember(signedInId: string | undefined) {
      ownerId = signedInId ?? ownerId
    },
    /** Runs `clear`, the end of the session in the portal. `opened`: as for `onEnd` of a session. */
    async follow(reason: SessionEndReason, opened: Promise<void> | undefined, clear: () => Promise<void>) {
      const isShared = deviceUse.isShared()
      const cleared = opened && clear().catch(ignoreStorageFault)
      if (opened) await opened
      world.trail(`${name}: the session of ${ownerId} ends: ${reason}`)
      const ending = {}
      const isWiping = isShared && mayWipe(reason)
      const countBefore = signInCount(ownerId)
      phone.endings.add(ending)
      if (isWiping) forgive(reason)
      // The browser reports a storage that fails here. The rows stay as after a crash.
      await (cleared ?? clear().catch(ignoreStorageFault))
      phone.endings.delete(ending)
      // An applicant who has signed in again in another tab since then uses the rows there.
      if (
        ownerId === undefined ||
        !isWiping ||
        !mayWipe(reason) ||
        reason === 'locked' ||
        phone.endings.size > 0 ||
        signInCount(ownerId) !== countBefore
      )
        return
      phone.erased.add(ownerId)
      world.touch()
    },
  }
}

function ignoreStorageFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}
