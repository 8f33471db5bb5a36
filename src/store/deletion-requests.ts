import type { Drafts } from './drafts.ts'
import type { Responses } from './responses.ts'

/**
 * The applications whose deletion the applicant has requested on this device. The response of the server may be lost, or
 * this page may end before it arrives: then a later page knows from this list that what the applicant has typed must be
 * deleted on the device too (LST15). @throws StorageFault
 */
export type DeletionRequests = {
  /** Call it before the server is asked. */
  add(applicationId: string): Promise<void>
  /** Call it when the applicant has undone the deletion, the server has refused it, or it is done. */
  remove(applicationId: string): Promise<void>
  /**
   * The applications in which the applicant has surely not typed since the request, so none whose draft cannot be read:
   * the ids of the server, and the local ids of those that the server does not know.
   */
  unchangedIds(): Promise<string[]>
  /** The applications of `unchangedIds`, each with the `savedAt` of its draft. */
  unchanged(): Promise<UnchangedApplication[]>
  /** Those of `unchangedIds` whose deletion this page has not requested itself. */
  idsOfEarlierPages(): Promise<string[]>
}

/** `savedAt`: of the draft; undefined when the device has none. */
type UnchangedApplication = { id: string; savedAt: number | undefined }

type Parts = { responses: Responses; drafts: Pick<Drafts, 'find' | 'resolveId'> }

/** `savedAt`: of the draft at the request; undefined when the device had no draft, or could not read it. */
type Request = { savedAt?: number | undefined }

const namePrefix = 'deletion-request '

export function createDeletionRequests({ responses, drafts }: Parts): DeletionRequests {
  const requestedHere = new Set<string>()

  /** The ids under which the requests were made; for an application that was started offline this may be its local id. */
  async function requestedIds(): Promise<string[]> {
    return (await responses.namesWith(namePrefix)).map(name => name.slice(namePrefix.length))
  }

  async function unchangedOf(ids: readonly string[]): Promise<UnchangedApplication[]> {
    const found = ids.map(async requestedAs => {
      const request = ((await responses.read(namePrefix + requestedAs)) ?? {}) as Request // only `add` writes it
      const id = await drafts.resolveId(requestedAs)
      const { draft, fault } = await drafts.find(id)
      // A draft that cannot be read now may have what the applicant has typed since.
      const { savedAt } = request
      return fault === undefined && draft?.savedAt === savedAt ? [{ id, savedAt }] : []
    })
    return (await Promise.all(found)).flat()
  }

  const unchanged = async () => unchangedOf(await requestedIds())

  return {
    async add(applicationId) {
      requestedHere.add(applicationId)
      const request: Request = { savedAt: (await drafts.find(applicationId)).draft?.savedAt }
      await responses.write(namePrefix + applicationId, request)
    },
    async remove(applicationId) {
      for (const requestedAs of await requestedIds()) {
        const isSame =
          requestedAs === applicationId || (await drafts.resolveId(requestedAs)) === applicationId
        if (isSame) await responses.remove(namePrefix + requestedAs)
      }
    },
    unchanged,
    unchangedIds: async () => idsOf(await unchanged()),
    idsOfEarlierPages: async () =>
      idsOf(await unchangedOf((await requestedIds()).filter(requestedAs => !requestedHere.has(requestedAs)))),
  }
}

function idsOf(applications: readonly UnchangedApplication[]): string[] {
  return applications.map(({ id }) => id)
}
