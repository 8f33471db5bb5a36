import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deriveKey, randomKey } from './encryption.ts'
import { StorageFault } from './storage-fault.ts'

/** The applicant whose rows this page reads and writes, and the key that encrypts these rows. */
export type ApplicantKey = {
  applicantId: string
  /** Undefined without `crypto.subtle` (plain HTTP): then drafts stay in the memory of the page. */
  key: CryptoKey | undefined
}

/**
 * `device`: the key survives a restart of the browser, on the applicant's own phone. `memory`: the key ends with the page,
 * on a shared device (D31).
 */
export type KeyLifetime = 'device' | 'memory'

/** `draftKey`: the applicant's secret from the server, from which the device derives the key; undefined when it sends none. */
export type KeyRequest = { applicantId: string; draftKey: string | undefined }

export type ApplicantKeySource = {
  current: () => Promise<ApplicantKey | undefined>
  set: (applicant: KeyRequest, lifetime: KeyLifetime) => Promise<void>
  clear: () => Promise<void>
}

/** The applicant of the open session; undefined while no session is open. */
export type SignedInId = () => string | undefined

export function createApplicantKeySource(
  database: Database,
  runOnDatabase: DatabaseRunner,
  signedInId: SignedInId,
): ApplicantKeySource {
  const keyRow = createKeyRow(database, runOnDatabase)
  /** The key is in memory too, so that a storage that fails or is wiped does not lock out the applicant. */
  let loaded: ApplicantKey | undefined
  let isCleared = false

  /**
   * Reads the key row once, for a page that starts offline. If another applicant signs in later in another tab, this
   * page keeps its own applicant and key, so that it never saves its data under the other applicant.
   */
  async function current(): Promise<ApplicantKey | undefined> {
    if (!loaded && !isCleared) {
      const found = await keyRow.read()
      if (!isCleared) loaded ??= found
    }
    return isOfOther(loaded) ? undefined : loaded
  }

  /** The row is of the previous applicant when this page could not load the store at the sign-in. */
  function isOfOther(found: ApplicantKey | undefined): boolean {
    const expected = signedInId()
    return found !== undefined && expected !== undefined && found.applicantId !== expected
  }

  function setLoaded(applicantKey: ApplicantKey) {
    isCleared = false
    loaded = applicantKey
  }

  return {
    current,
    async set({ applicantId, draftKey }, lifetime) {
      // Over plain HTTP, as in a trial installation, a browser has no `crypto.subtle`: drafts stay in memory until they are sent.
      if (!('subtle' in crypto)) return setLoaded({ applicantId, key: undefined })
      const previous = await current().catch(undefinedOnFault)
      // Without a `draftKey` the device makes its own random key, and keeps it while the same applicant signs in (D31).
      const ownKey = previous?.applicantId === applicantId ? previous.key : undefined
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

/** Reads and writes the one row that stores the key of the signed-in applicant on this device. */
function createKeyRow(database: Database, runOnDatabase: DatabaseRunner) {
  const { keys } = database
  return {
    read: () => runOnDatabase(() => keys.get('current')),
    write: ({ applicantId, key }: { applicantId: string; key: CryptoKey }, lifetime: KeyLifetime) =>
      runOnDatabase(async () => {
        if (lifetime === 'device') await keys.put({ id: 'current', applicantId, key })
        else await keys.clear()
      }),
    /** Deletes the row, unless another applicant has signed in since in another tab. */
    remove: (cleared: ApplicantKey | undefined) =>
      runOnDatabase(() =>
        database.transaction('rw', keys, async () => {
          const row = await keys.get('current')
          if (!cleared || row?.applicantId === cleared.applicantId) await keys.clear()
        }),
      ),
  }
}

/** Ignores a storage fault: this page has the key in memory. Without the row, only a later page that starts offline has no key. */
function undefinedOnFault(error: unknown): undefined {
  if (!(error instanceof StorageFault)) throw error
}
