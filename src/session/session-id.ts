import type { Device } from '#device/device.ts'
import { sessionIdKey } from '#store/device-use.ts'
import { addPendingErase } from '#store/pending-erases.ts'

/**
 * The random id of this browser's newest session, which all tabs read. A tab whose scripts stood still, for example during
 * a print dialog, handles a log-out late: then another applicant may have signed in on this device.
 */
export type SessionId = {
  /** The id of the session that this tab has or had last; undefined when it is not known. */
  own: () => string | undefined
  /** Sets the session of this tab, which has or may get a token: a new one after a sign-in, otherwise the newest one. */
  follow: (token: { isNew: boolean }) => void
  /** Whether another tab has begun a session after that of this tab. */
  isReplaced: () => boolean
  /** Call it when a log-out starts: the log-out ends the newest session too, because all tabs share the cookie. */
  markLogout: () => void
  /**
   * Whether another tab has begun a session that is newer than that of this tab. After `markLogout` only a session that began
   * after that call counts. The random id does not tell whether the newer session is of the same applicant.
   */
  hasNewer: () => boolean
  /** Whether another page has ended or replaced the session of this tab. False where the browser refuses storage. */
  isOver: () => boolean
  /**
   * Whether a sign-in in another tab had replaced the session of this tab when another tab logged out. `endedId`: the
   * session that the log-out ended. It counts as the newest session when the log-out has removed the id of the newest.
   */
  wasReplacedAtLogout: (endedId: string | undefined) => boolean
  /** Saves for later pages that the rows of the session of this tab must be erased (D112). */
  markPendingErase: () => void
  remove: () => void
}

export function createSessionId(device: Pick<Device, 'saveText' | 'readText' | 'randomId'>): SessionId {
  const newest = () => device.readText(sessionIdKey)
  let own = newest()
  let isSaved = own !== undefined
  let newestAtLogout: string | undefined
  const isOther = () => newest() !== undefined && newest() !== own

  return {
    own: () => own,
    follow({ isNew }) {
      own = isNew ? device.randomId() : (newest() ?? own)
      if (isNew) device.saveText(sessionIdKey, own)
      isSaved = newest() === own
    },
    // A session that began in an older release has no id, but `isSaved` is true.
    isReplaced: () => (own !== undefined || isSaved) && isOther(),
    markLogout: () => void (newestAtLogout = newest()),
    hasNewer: () => isOther() && newest() !== newestAtLogout,
    isOver: () => isSaved && newest() !== own,
    // A session that began in an older release has no id.
    wasReplacedAtLogout: endedId =>
      endedId !== undefined && own !== undefined && own !== (newest() ?? endedId),
    markPendingErase: () => addPendingErase(device, own ?? ''),
    remove: () => device.saveText(sessionIdKey, undefined),
  }
}
