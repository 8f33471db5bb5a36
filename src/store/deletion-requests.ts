import type { ApplicantKey } from './applicant-key.ts'
import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import type { Drafts } from './drafts.ts'
import { decryptJson, encryptJson } from './encryption.ts'

/**
 * The applications that the applicant has asked to delete on this device. The answer of the server may be lost, or this
 * page may end before it arrives: then a later page knows from this list that the answers on the device must go too
 * (LST15). @throws StorageFault
 */
export type DeletionRequests = {
  /** Call it before the server is asked. */
  add(applicationId: string): Promise<void>
  /** The applicant has undone the deletion, the server has refused it, or it is done. */
  remove(applicationId: string): Promise<void>
  /** The applications, under the ids of the server, in which the applicant has not typed since the request. */
  unchangedIds(): Promise<string[]>
}

type Parts = {
  database: Database
  runOnDatabase: DatabaseRunner
  applicantKey: () => Promise<ApplicantKey | undefined>
  drafts: Pick<Drafts, 'read' | 'resolveId'>
}

/** `savedAt`: when the applicant had typed last; undefined when the device had no draft. */
type Request = { savedAt?: number | undefined }

const namePrefix = 'deletion-request '

export function createDeletionRequests(parts: Parts): DeletionRequests {
  const { database, runOnDatabase, applicantKey, drafts } = parts

  /** The requests with the ids under which they were made: the local one of an application that the server has since. */
  async function readAll(reader: ApplicantKey): Promise<{ requestedAs: string; request: Request }[]> {
    const { applicantId, key } = reader
    const ofApplicant = database.seen.where({ applicantId })
    const rows = await runOnDatabase(() =>
      ofApplicant.filter(({ name }) => name.startsWith(namePrefix)).toArray(),
    )
    return Promise.all(
      rows.map(async ({ name, sealed }) => ({
        requestedAs: name.slice(namePrefix.length),
        request: ((await decryptJson(key, sealed, `${applicantId}/seen/${name}`)) ?? {}) as Request, // only `add` writes it
      })),
    )
  }

  return {
    async add(applicationId) {
      const writer = await applicantKey()
      if (!writer) return
      const { applicantId, key } = writer
      const name = namePrefix + applicationId
      const request: Request = { savedAt: (await drafts.read(applicationId))?.savedAt }
      const sealed = await encryptJson(key, request, `${applicantId}/seen/${name}`)
      await runOnDatabase(() => database.seen.put({ applicantId, name, sealed }))
    },
    async remove(applicationId) {
      const writer = await applicantKey()
      if (!writer) return
      for (const { requestedAs } of await readAll(writer)) {
        const isSame =
          requestedAs === applicationId || (await drafts.resolveId(requestedAs)) === applicationId
        if (isSame)
          await runOnDatabase(() => database.seen.delete([writer.applicantId, namePrefix + requestedAs]))
      }
    },
    async unchangedIds() {
      const reader = await applicantKey()
      if (!reader) return []
      const found = await Promise.all(
        (await readAll(reader)).map(async ({ requestedAs, request }) => {
          const id = await drafts.resolveId(requestedAs)
          return (await drafts.read(id))?.savedAt === request.savedAt ? [id] : []
        }),
      )
      return found.flat()
    },
  }
}
