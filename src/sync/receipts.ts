import type { Call } from '#api/client.ts'
import { isHandledByScreen } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId, AppointmentId } from '#contract/ids.ts'
import type { Session } from '#session/session.ts'
import type { Store } from '#store/store.ts'
import type { Connectivity } from './connectivity.ts'

type ReceiptRequest = {
  appId: ApplicationId
  /** The booking of the receipt: another phone may change it, and the file of the old booking names an old time (D129). */
  appointmentId: AppointmentId
  language: Language
  /** The screen does not wait for the file and shows no failure. */
  background?: boolean
}

type OpenStore = () => Promise<Pick<Store, 'responses'>>

type Parts = {
  call: Call
  connectivity: Pick<Connectivity, 'isUnreachable'>
  session: Pick<Session, 'token' | 'watchEnd'>
  openStore: OpenStore
}

/**
 * Loads the receipt from the server and caches it; one that the device has is sent again only when it has changed.
 * Without the connection or the token, and after a failure that is no refusal of this receipt, returns the cached file,
 * or undefined (FIN03, D37). Returns undefined when the server refuses the receipt, or the session ends before the file
 * can be returned: the file is of the applicant who has left, and the next person may use the device.
 */
export async function loadReceipt(
  { call, connectivity, session, openStore }: Parts,
  { appId, appointmentId, language, background }: ReceiptRequest,
): Promise<Blob | undefined> {
  const hasEnded = session.watchEnd()
  const name = nameOf(appId, appointmentId)
  const cachedFile = await readCached(openStore, name)
  if (hasEnded()) return undefined
  const isOffline = connectivity.isUnreachable() || session.token() === undefined
  if (cachedFile && isOffline) return cachedFile
  const input = { params: { id: appId }, query: { lg: language } }
  const receipt = await call('getPdf', input, { background, cachedFile })
  // The next applicant may have signed in.
  if (hasEnded()) return undefined
  if (receipt.ok) {
    if (receipt.value !== cachedFile) await cacheReceipt(openStore, name, receipt.value, hasEnded)
    return hasEnded() ? undefined : receipt.value
  }
  // Only a refusal of this receipt says that the cached file is no longer true. The file stays in the cache: after a restore
  // of the server it may be the only proof of the booking.
  return isHandledByScreen(receipt.problem) ? undefined : cachedFile
}

async function cacheReceipt(openStore: OpenStore, name: string, file: Blob, hasEnded: () => boolean) {
  try {
    const { responses } = await openStore()
    // The code of the store may load only now, on a slow connection: the rows are then those of the next applicant.
    if (!hasEnded()) await responses.writeFile(name, file)
  } catch {
    // The device could not cache the file, for example on a full disk; the caller gets the file all the same.
  }
}

async function readCached(openStore: OpenStore, name: string): Promise<Blob | undefined> {
  try {
    return await (await openStore()).responses.readFile(name)
  } catch {
    return undefined // the cache cannot be read
  }
}

/**
 * A deletion of the application deletes the rows whose names have its id as a whole word (store/deletion-mark.ts). The prefix
 * `for-` keeps the id of the appointment from being such a word.
 */
function nameOf(appId: ApplicationId, appointmentId: AppointmentId): string {
  return `receipt ${appId} for-${appointmentId}`
}
