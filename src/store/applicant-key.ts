import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deriveKey, randomKey } from './encryption.ts'
import { StorageFault } from './storage-fault.ts'

/** The applicant whose rows this page reads and writes, and the key. */
export type ApplicantKey = {
  applicantId: string
  /** Undefined without `crypto.subtle` (plain HTTP): then drafts stay in the memory of the page. */
  key: CryptoKey | undefined
}

/** `device`: the key survives a restart of the browser, on the applicant's own phone. `memory`: it ends with the page (D31). */
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
  const keyRow = createKeyRow(database, runOnDatabase)
  /** In memory too, so that a storage that fails or is wiped does not lock out the applicant. */
  let loaded: ApplicantKey | undefined
  let isCleared = false

  /**
   * Reads the key row once, for a page that starts offline. If another applicant signs in later in another tab, this
   * page keeps its own applicant and key, so that it never saves its data under the other applicant.
   */
  async function current(): Promise<ApplicantKey | undefined> {
    if (loaded || isCleared) return loaded
    const found = await keyRow.read()
    if (!isCleared) loaded ??= found
    return loaded
  }

  function setLoaded(owner: ApplicantKey) {
    isCleared = false
    loaded = owner
  }

  return {
    current,
    async set({ applicantId, draftKey }, lifetime) {
      // A trial installation over plain HTTP has no cryptography: its drafts stay in memory until they are sent.
      if (!('subtle' in crypto)) return setLoaded({ applicantId, key: undefined })
      const before = await current().catch(undefinedOnFault)
      // Without a secret of the server the device has its own key, as long as the same applicant stays (D31).
      const ownKey = before?.applicantId === applicantId ? before.key : undefined
      const key =
        draftKey === undefined ? (ownKey ?? (await randomKey())) : await deriveKey(draftKey, applicantId)
      setLoaded({ applicantId, key })
      await keyRow.write({ applicantId, key }, lifetime).catch(undefinedOnFault)
    },
    async clear() {
      const cleared = loaded
      isCleared = true
      loaded = undefined
      await keyRow.remove(cleared).catch(undefinedOnFault)
    },
  }
}

/** The one row that keeps the key of the signed-in applicant on this device. */
function createKeyRow(database: Database, runOnDatabase: DatabaseRunner) {
  const { keys } = database
  return {
    read: () => runOnDatabase(() => keys.get('current')),
    write: ({ applicantId, key }: { applicantId: string; key: CryptoKey }, lifetime: KeyLifetime) =>
      runOnDatabase(async () => {
        if (lifetime === 'device') await keys.put({ id: 'current', applicantId, key })
        else await keys.clear()
      }),
    /** Keeps the row of another applicant, who has signed in in another tab. */
    remove: (owner: ApplicantKey | undefined) =>
      runOnDatabase(() =>
        database.transaction('rw', keys, async () => {
          const row = await keys.get('current')
          if (!owner || row?.applicantId === owner.applicantId) await keys.clear()
        }),
      ),
  }
}

/** A storage fault is ignored: the key is in memory, and nothing else depends on the row. */
function undefinedOnFault(error: unknown): undefined {
  if (!(error instanceof StorageFault)) throw error
}
