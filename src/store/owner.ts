import type { Database } from './database.ts'
import type { Guard } from './guard.ts'
import { deriveKey, randomKey } from './seal.ts'
import { StorageFault } from './storage-fault.ts'

/** Whose rows can be read and written, and with which key. */
export type Owner = {
  applicantId: string
  /** None where the page has no cryptography: then nothing is kept beyond the page. */
  key: CryptoKey | undefined
}

/** `device`: the key outlives a restart of the browser, on one's own phone. `memory`: it goes with the page (D31). */
export type Keep = 'device' | 'memory'

export type Unlocking = { applicantId: string; draftKey: string | undefined }

export type OwnerKeeper = {
  current: () => Promise<Owner | undefined>
  take: (applicant: Unlocking, keep: Keep) => Promise<void>
  forget: () => Promise<void>
}

export function createOwnerKeeper(database: Database, guard: Guard): OwnerKeeper {
  /** Held as well, so that a store that was wiped or fails does not lock out who is signed in. */
  let held: Owner | undefined
  let isLeft = false

  /**
   * The row is asked once, as a page begins without the line. Whoever signs in beside this page later is somebody else:
   * what still stands here is not theirs, and must not be written as theirs.
   */
  async function current(): Promise<Owner | undefined> {
    if (held || isLeft) return held
    const found = await guard(() => database.keys.get('current'))
    if (!isLeft) held ??= found
    return held
  }

  function hold(owner: Owner) {
    isLeft = false
    held = owner
  }

  /** Not the row of an applicant who has signed in beside this page meanwhile. */
  function deleteOwnRow(owner: Owner | undefined) {
    const { keys } = database
    return guard(() =>
      database.transaction('rw', keys, async () => {
        const row = await keys.get('current')
        if (!owner || row?.applicantId === owner.applicantId) await keys.clear()
      }),
    )
  }

  return {
    current,
    async take({ applicantId, draftKey }, keep) {
      // A trial over plain HTTP has no cryptography: its drafts live in this page, and go to the server from there.
      if (!('subtle' in crypto)) {
        hold({ applicantId, key: undefined })
        return
      }
      const before = await current().catch(nobody)
      // A server that gives no secret: a key of this device's own, as long as the same applicant stays (D31).
      const own = before?.applicantId === applicantId ? before.key : undefined
      const key =
        draftKey === undefined ? (own ?? (await randomKey())) : await deriveKey(draftKey, applicantId)
      hold({ applicantId, key })
      await guard(async () => {
        if (keep === 'device') await database.keys.put({ id: 'current', applicantId, key })
        else await database.keys.clear()
      }).catch(ignoreFault)
    },
    async forget() {
      const left = held
      isLeft = true
      held = undefined
      await deleteOwnRow(left).catch(ignoreFault)
    },
  }
}

function nobody(error: unknown): undefined {
  ignoreFault(error)
}

/** The key is held in memory, or was never written: nothing else depends on the row. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}
