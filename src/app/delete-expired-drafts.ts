import type { Services } from './services.ts'

/**
 * A shared device may have locked drafts of applicants who do not come back (D31). They are the only copy of what could
 * not be sent, so without an answer of the server, which knows the time, nothing is deleted.
 */
export async function deleteExpiredDrafts({
  openStore,
  serverInfo,
}: Pick<Services, 'openStore' | 'serverInfo'>): Promise<void> {
  const info = await serverInfo.readFresh()
  if (info) await (await openStore()).lockedDrafts.deleteExpired(info.time)
}
