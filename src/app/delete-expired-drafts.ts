import type { Services } from './services.ts'

/**
 * A device that is or was shared may hold locked, encrypted drafts of applicants who do not come back (D31). These
 * drafts may be the only copy of what could not be sent, so without an answer of the server nothing is deleted. The
 * time of the server counts; the clock of the device only when the answer has no time.
 */
export async function deleteExpiredDrafts({
  deviceUse,
  openStore,
  serverInfo,
}: Pick<Services, 'deviceUse' | 'openStore' | 'serverInfo'>): Promise<void> {
  if (!deviceUse.wasShared()) return
  const info = await serverInfo.readFresh()
  if (info) await (await openStore()).lockedDrafts.deleteExpired(info.time)
}
