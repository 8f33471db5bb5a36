import type { Database, KeyRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deriveKey, randomKey, type RowKeys } from './encryption.ts'
import type { EraseApplicant } from './erase-applicant.ts'
import { StorageFault } from './storage-fault.ts'

/** The applicant whose rows this page reads and writes, and the key that encrypts these rows. */
export type ApplicantKey = RowKeys & {
  applicantId: string
  /** Undefined until the device has derived or read it. Without a key drafts stay in the memory of the page. */
  key: CryptoKey | undefined
}

/**
 * `device`: the key survives a restart of the browser, on the applicant's own phone. `memory`: the key ends with the page,
 * on a shared device (D31).
 */
export type KeyLifetime = 'device' | 'memory'

/**
 * `draftKey`: the applicant's secret from the server, from which the device derives the key; undefined when it sends none.
 * `previousDraftKey`: while the operator changes this secret, a second one, which only decrypts: first the new, then the old
 * (D110).
 */
export type KeyRequest = {
  applicantId: string
  draftKey: string | undefined
  previousDraftKey?: string | undefined
}

export type ApplicantKeySource = {
  /** The key of this page's applicant; undefined after `clear`, and when the device has none. @throws StorageFault */
  current: () => Promise<ApplicantKey | undefined>
  /** The applicant of the open session, or of the last one on this page, also when `set` has failed. */
  lastApplicantId: () => string | undefined
  /**
   * @throws StorageFault without a `draftKey`, when the random key cannot be read or saved: then drafts stay in memory
   */
  set: (applicant: KeyRequest, lifetime: KeyLifetime) => Promise<void>
  /** `endsNewer`: a newer session, which another tab had begun, has ended with that of this page. */
  clear: (endsNewer: boolean) => Promise<void>
  /** Whether the device may have a key of this applicant. */
  mayBeSaved: (applicantId: string) => boolean
}

/** The session of this page. */
export type PageSession = {
  /** The applicant of the open session; undefined while no session is open. */
  applicantId: () => string | undefined
  /** The random id of the open session, else of the last one on this page, else of one that it may continue offline. */
  id: () => string | undefined
  /**
   * Whether another tab has begun a newer session that is still open. A log-out in this page ends the newest session
   * too: then only a session that has begun since the start of this log-out counts.
   */
  hasNewer: () => boolean
}

type SourceParts = {
  database: Database
  runOnDatabase: DatabaseRunner
  session: PageSession
  erasing: Pick<EraseApplicant, 'isPending'>
}

export function createApplicantKeySource(parts: SourceParts): ApplicantKeySource {
  const { session } = parts
  const keyRows = createKeyRows(parts)
  /** The key is in memory too, so that a storage that fails or is wiped does not lock out the applicant. */
  let loaded: ApplicantKey | undefined
  let isCleared = false
  /** The random key of the last session, for a sign-in of the same applicant on this page. */
  let lastRandom: ApplicantKey | undefined
  let pageApplicantId: string | undefined

  /**
   * Until `set` or `clear` runs, or a row is found, each call reads the key row, for a page that starts offline. If
   * another applicant signs in later in another tab, this page keeps its own applicant and key: it never saves its data
   * under the other applicant. A page without a session reads the row again when it may continue another session.
   */
  async function current(): Promise<ApplicantKey | undefined> {
    pageApplicantId = session.applicantId() ?? pageApplicantId
    if (pageApplicantId === undefined && keyRows.hasOtherSession()) loaded = undefined
    if (!loaded && !isCleared) {
      const found = await keyRows.read()
      if (!isCleared) loaded ??= found
    }
    // The row is of the previous applicant when the code of the store could not load at the sign-in, so `set` did not run.
    const expectedId = session.applicantId() ?? pageApplicantId ?? loaded?.applicantId
    return loaded?.applicantId === expectedId ? loaded : undefined
  }

  function setLoaded(applicantKey: ApplicantKey) {
    isCleared = false
    loaded = applicantKey
  }

  return {
    current,
    lastApplicantId: () => pageApplicantId,
    async set({ applicantId, draftKey, previousDraftKey }, lifetime) {
      pageApplicantId = applicantId
      // Drafts stay in memory until the device has read its random key: a new key could not decrypt the saved rows. They also
      // stay there without `crypto.subtle`, although public/check-browser.js lets no such browser start the portal.
      if (loaded?.applicantId !== applicantId) setLoaded({ applicantId, key: undefined })
      if (!('subtle' in crypto)) return
      const isRandom = draftKey === undefined
      const key = isRandom
        ? await findRandomKey(keyRows, { applicantId, lastRandom, lifetime })
        : await deriveKey(draftKey, applicantId)
      const previousKey =
        previousDraftKey === undefined ? undefined : await deriveKey(previousDraftKey, applicantId)
      setLoaded({ applicantId, key, previousKey })
      lastRandom = isRandom ? { applicantId, key } : undefined
      await keyRows.replace({ applicantId, key, previousKey }, lifetime).catch(ignoreFault)
    },
    async clear(endsNewer) {
      const cleared = loaded
      isCleared = true
      loaded = undefined
      await keyRows.remove(cleared, endsNewer).catch(ignoreFault)
    },
    mayBeSaved: keyRows.mayBeSaved,
  }
}

/**
 * Without a `draftKey` the device makes its own random key. No server can send this key again, so it outlives the
 * session on the applicant's own device: without it the saved answers would be lost (D31, D67).
 * @throws StorageFault
 */
async function findRandomKey(
  keyRows: ReturnType<typeof createKeyRows>,
  {
    applicantId,
    lastRandom,
    lifetime,
  }: { applicantId: string; lastRandom: ApplicantKey | undefined; lifetime: KeyLifetime },
): Promise<CryptoKey> {
  const lastKey = lastRandom?.applicantId === applicantId ? lastRandom.key : undefined
  return keyRows.findOrAddRandom({ applicantId, key: lastKey ?? (await randomKey()) }, lifetime)
}

type NewKey = { applicantId: string; key: CryptoKey; previousKey?: CryptoKey | undefined }

/** Reads and writes the rows with the keys of the applicants of this device. */
function createKeyRows({ database, runOnDatabase, session, erasing }: SourceParts) {
  const { keys } = database
  /** The session that this page could continue when it read the row. */
  let readForId: string | undefined
  /** The applicant of the last sign-in in this page, when the device is shared and has no key of this applicant. */
  let applicantIdWithoutKey: string | undefined

  return {
    /**
     * The row may be of an earlier session, which ended without a log-out, when the next sign-in could not replace the
     * row. A page without an open session must not continue as the applicant of that session.
     */
    read: async () => {
      readForId = session.id()
      const row = await runOnDatabase(() => keys.get('current'))
      return session.applicantId() !== undefined || isOfSession(row, session.id()) ? row : undefined
    },
    /** Whether `session` is another one than when this page read the row. */
    hasOtherSession: () => readForId !== session.id(),
    /** In one transaction, so that two tabs use one key. Adds no key that must end with the page. */
    findOrAddRandom: ({ applicantId, key }: NewKey, lifetime: KeyLifetime) =>
      runOnDatabase(() =>
        database.transaction('rw', keys, async () => {
          const id = `random:${applicantId}` as const
          const found = await keys.get(id)
          if (!found && lifetime === 'device') await keys.add({ id, applicantId, key })
          return found?.key ?? key
        }),
      ),
    /** Saves the key of the open session; on a shared device only deletes that of the last one. */
    replace: ({ applicantId, key, previousKey }: NewKey, lifetime: KeyLifetime) =>
      runOnDatabase(async () => {
        applicantIdWithoutKey = undefined
        if (lifetime === 'memory') applicantIdWithoutKey = await deleteCurrent(keys, applicantId)
        else await putCurrent(keys, { applicantId, key, previousKey, sessionId: session.id() })
      }),
    mayBeSaved: (applicantId: string) => applicantId !== applicantIdWithoutKey,
    /**
     * Deletes the key of the session. The key of an open session of another tab stays, unless this page has loaded no
     * key. While rows of the session are to be erased, the row stays without its key: it names their applicant (D112).
     */
    remove: (cleared: ApplicantKey | undefined, endsNewer: boolean) =>
      runOnDatabase(() =>
        database.transaction('rw', keys, async () => {
          const row = await keys.get('current')
          const isOwn = row?.applicantId === cleared?.applicantId && isOfSession(row, session.id())
          if (cleared && !isOwn && (!endsNewer || session.hasNewer())) return
          if (row && erasing.isPending(row.sessionId))
            await keys.update('current', { key: undefined, previousKey: undefined })
          else await keys.delete('current')
        }),
      ),
  }
}

/** When the row cannot be written, for example on a full disk, deletes the row of another applicant. */
async function putCurrent(keys: Database['keys'], row: Omit<KeyRow, 'id'>): Promise<void> {
  try {
    await keys.put({ id: 'current', ...row })
  } catch (error) {
    if ((await keys.get('current'))?.applicantId !== row.applicantId) await keys.delete('current')
    throw error
  }
}

/** Deletes the key of the last session. Resolves to `applicantId`, unless the device has this applicant's random key (D67). */
async function deleteCurrent(keys: Database['keys'], applicantId: string): Promise<string | undefined> {
  await keys.delete('current')
  return (await keys.get(`random:${applicantId}`)) ? undefined : applicantId
}

/**
 * Ignores a storage fault. After `set` this page has the key in memory: without the row, only a later page that starts
 * offline has no key. After `clear` the row may stay.
 */
function ignoreFault(error: unknown): undefined {
  if (!(error instanceof StorageFault)) throw error
}

/** True also for the row of a session that began in an older release, which has no session id. */
function isOfSession(row: KeyRow | undefined, sessionId: string | undefined): boolean {
  return row !== undefined && (row.sessionId === undefined || row.sessionId === sessionId)
}
