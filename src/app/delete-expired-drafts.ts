import type { Services } from './services.ts'

/**
 * A shared device may hold locked drafts (encrypted, without their key) of applicants who do not come back (D31). They are the
 * only copy of what could not be sent, so without an answer of the server nothing is deleted. The time of the server counts;
 * the clock of the device only when the answer has no time.
 */
export async function deleteExpiredDrafts({
  openStore,
  serverInfo,
}: Pick<Services, 'openStore' | 'serverInfo'>): Promise<void> {
  const info = await serverInfo.readFresh()
  if (info) await (await openStore()).lockedDrafts.deleteExpired(info.time)
}
