import type { Services } from './services.ts'

/**
 * A shared device may have locked drafts of applicants who do not come back (D31). They are the only copy of what could
 * not be sent, so the days are counted by the server's time: a device clock that is days ahead must not delete them.
 * Without an answer nothing is deleted; with a server that does not tell its time, the device clock counts.
 */
export async function deleteExpiredDrafts({
  device,
  openStore,
  serverInfo,
}: Pick<Services, 'device' | 'openStore' | 'serverInfo'>): Promise<void> {
  const info = await serverInfo.readFresh()
  if (info === undefined) return
  const serverTimeMs = Date.parse(info.time ?? '')
  const { lockedDrafts } = await openStore()
  await lockedDrafts.deleteExpired(Number.isNaN(serverTimeMs) ? device.now() : serverTimeMs)
}
