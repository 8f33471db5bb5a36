import type { Device } from '#device/device.ts'

/**
 * The random id of this browser's newest session, which all tabs read. A tab whose scripts stood still, for example during
 * a print dialog, handles a log-out late: then another applicant may have signed in on this device.
 */
export type SessionId = {
  /** The id of the session that this tab has or had last; undefined when it is not known. */
  own: () => string | undefined
  /** This tab has got a token: of a new session after a sign-in, otherwise of the newest session. */
  follow: (token: { isNew: boolean }) => void
  /** Whether another tab has begun a session since. */
  isReplaced: () => boolean
  /** What the end of this session means here. `replaced`: this tab's session has ended, and another one has begun. */
  effectOf: (endedId: string | undefined) => 'none' | 'ended' | 'replaced'
  remove: () => void
}

const sessionIdKey = 'session-id'

export function createSessionId(device: Pick<Device, 'saveText' | 'readText' | 'randomId'>): SessionId {
  const newest = () => device.readText(sessionIdKey)
  let own = newest()

  return {
    own: () => own,
    follow({ isNew }) {
      own = isNew ? device.randomId() : (newest() ?? own)
      if (isNew) device.saveText(sessionIdKey, own)
    },
    isReplaced: () => own !== undefined && newest() !== undefined && newest() !== own,
    effectOf(endedId) {
      // A session that began in an older release has no id.
      if (endedId === undefined || own === undefined) return 'ended'
      const newestId = newest() ?? endedId
      if (newestId === endedId) return own === endedId ? 'ended' : 'replaced'
      return own === newestId ? 'none' : 'replaced'
    },
    remove: () => device.saveText(sessionIdKey, undefined),
  }
}
