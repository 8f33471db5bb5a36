import type { LogoutHooks } from '#session/logout.ts'
import { StorageFault } from '#store/storage-fault.ts'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import type { Sync } from '#sync/engine.ts'
import type { Services } from './services.ts'

type Parts = Pick<Services, 'openStore' | 'pendingWrites'> & {
  sync: () => Sync
  serverInfo: Pick<Services['serverInfo'], 'reload' | 'current'>
}

/**
 * What a log-out does with pending writes, with drafts that the server may not have, and with the drafts of other
 * applicants (D31). All steps but `finishWrites` run only on a shared device.
 */
export function createLogoutHooks({ openStore, pendingWrites, sync, serverInfo }: Parts): LogoutHooks {
  /**
   * The server's epoch, read during the log-out; undefined without an answer. A restore from a backup changes the
   * epoch: a draft that was sent in another epoch counts as unsent (D62).
   */
  let serverEpoch: string | undefined

  async function reloadServerEpoch() {
    serverEpoch = undefined
    const info = await serverInfo.reload()
    // Without an answer `info` is that of an earlier answer.
    if (serverInfo.current().state === 'answered') serverEpoch = info?.epoch
  }

  const findUnsent = () => findUnsentDrafts({ openStore, sync: sync(), serverEpoch })

  return {
    finishWrites: () => pendingWrites.finish('log-out'),
    async sendUnsentDrafts() {
      const drafts = await (await openStore()).drafts.all()
      await Promise.all([
        reloadServerEpoch(),
        ...drafts.map(({ applicationId }) => sync().flush(applicationId)),
      ])
    },
    async findUnsentDrafts() {
      const { ids, fault, hasReadable } = await findUnsent()
      if (hasReadable) return 'unsent'
      return fault || ids.length > 0 ? 'unreadable' : 'none'
    },
    async lockUnsentDrafts() {
      const { ids, fault } = await findUnsent()
      // The device may have drafts that it cannot find, so it cannot lock them.
      if (fault) throw new StorageFault('lost')
      return (await openStore()).lockedDrafts.lock(ids)
    },
    async lockDraftsOfOthers() {
      const { lockedDrafts } = await openStore()
      await lockedDrafts.lockDraftsOfOtherApplicants()
      return lockedDrafts.exist()
    },
  }
}

/** `hasReadable`: the device can read at least one draft of `ids`. With a `fault` it may have more drafts. */
async function findUnsentDrafts({
  openStore,
  sync,
  serverEpoch,
}: Pick<Services, 'openStore' | 'sync'> & { serverEpoch: string | undefined }) {
  const { found, fault } = await (await openStore()).drafts.findAll()
  const reads = found.map(async ({ applicationId: id }) => ({
    id,
    status: await sync.read(id, { waitsForServer: false }),
  }))
  const unsent = (await Promise.all(reads)).filter(({ status }) => isOnlyOnDevice(status, serverEpoch))
  const hasReadable = unsent.some(({ status }) => status.kind !== 'unreadable')
  return { ids: unsent.map(({ id }) => id), fault, hasReadable }
}
