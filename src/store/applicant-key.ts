import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deriveKey, randomKey } from './encryption.ts'
import { StorageFault } from './storage-fault.ts'

/** Whose rows can be read and written, and with which key. */
export type ApplicantKey = {
  applicantId: string
  /** None where the page has no cryptography: then nothing is kept beyond the page. */
  key: CryptoKey | undefined
}

/** `device`: the key outlives a restart of the browser, on one's own phone. `memory`: it goes with the page (D31). */
export type KeyLifetime = 'device' | 'memory'

export type KeyRequest = { applicantId: string; draftKey: string | undefined }

export type ApplicantKeySource = {
  current: () => Promise<ApplicantKey | undefined>
  set: (applicant: KeyRequest, keep: KeyLifetime) => Promise<void>
  clear: () => Promise<void>
}

export function createApplicantKeySource(
  database: Database,
  runOnDatabase: DatabaseRunner,
): ApplicantKeySource {
  /** Held as well, so that a store that was wiped or fails does not lock out who is signed in. */
  let loaded: ApplicantKey | undefined
  let isCleared = false

  /**
   * The row is asked once, as a page begins without the line. Whoever signs in beside this page later is somebody else:
   * what still stands here is not theirs, and must not be written as theirs.
   */
  async function current(): Promise<ApplicantKey | undefined> {
    if (loaded || isCleared) return loaded
    const found = await runOnDatabase(() => database.keys.get('current'))
    if (!isCleared) loaded ??= found
    return loaded
  }

  function setLoaded(owner: ApplicantKey) {
    isCleared = false
    loaded = owner
  }

  /** Not the row of an applicant who has signed in beside this page meanwhile. */
  function deleteKeyRow(owner: ApplicantKey | undefined) {
    const { keys } = database
    return runOnDatabase(() =>
      database.transaction('rw', keys, async () => {
        const row = await keys.get('current')
        if (!owner || row?.applicantId === owner.applicantId) await keys.clear()
      }),
    )
  }

  return {
    current,
    async set({ applicantId, draftKey }, lifetime) {
      // A trial over plain HTTP has no cryptography: its drafts live in this page, and go to the server from there.
      if (!('subtle' in crypto)) {
        setLoaded({ applicantId, key: undefined })
        return
      }
      const before = await current().catch(noKeyOnFault)
      // A server that gives no secret: a key of this device's own, as long as the same applicant stays (D31).
      const own = before?.applicantId === applicantId ? before.key : undefined
      const key =
        draftKey === undefined ? (own ?? (await randomKey())) : await deriveKey(draftKey, applicantId)
      setLoaded({ applicantId, key })
      await runOnDatabase(async () => {
        if (lifetime === 'device') await database.keys.put({ id: 'current', applicantId, key })
        else await database.keys.clear()
      }).catch(ignoreFault)
    },
    async clear() {
      const left = loaded
      isCleared = true
      loaded = undefined
      await deleteKeyRow(left).catch(ignoreFault)
    },
  }
}

function noKeyOnFault(error: unknown): undefined {
  ignoreFault(error)
}

/** The key is held in memory, or was never written: nothing else depends on the row. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}
