import { makeToken } from '#support/data/access-token.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { Applicant } from './virtual-platform.ts'

type ServerSession = { id: string; applicant: Applicant; isOpen: boolean; oldestToken: number }

const tokenSeconds = 900

export type SessionServer = ReturnType<typeof createSessionServer>

/**
 * The sessions of the server: a cookie is the id of a session, and each token belongs to one. Only `expire` makes tokens
 * expire: the server does not check their time.
 */
export function createSessionServer(clock: Pick<VirtualClock, 'now'>) {
  const sessions = new Map<string, ServerSession>()
  const tokens = new Map<string, { session: ServerSession; number: number }>()

  function answerFor(session: ServerSession) {
    const { applicantId, draftKey } = session.applicant
    const iat = Math.floor(clock.now() / 1_000)
    const number = tokens.size
    const token = makeToken({
      applicantId,
      iat,
      exp: iat + tokenSeconds,
      inactivity: tokenSeconds,
      jti: number,
    })
    tokens.set(token, { session, number })
    return { token, draftKey }
  }

  const find = (cookie: string | undefined) => {
    const session = cookie === undefined ? undefined : sessions.get(cookie)
    return session?.isOpen ? session : undefined
  }

  return {
    /** Opens a session, and ends the one of the cookie. */
    logIn(cookie: string | undefined, applicant: Applicant) {
      const before = find(cookie)
      if (before) before.isOpen = false
      const session = { id: `session ${sessions.size + 1}`, applicant, isOpen: true, oldestToken: 0 }
      sessions.set(session.id, session)
      return { cookie: session.id, data: answerFor(session) }
    },
    /** Undefined when the cookie opens no session. */
    refresh(cookie: string | undefined) {
      const session = find(cookie)
      return session && answerFor(session)
    },
    /** Ends the sessions of the cookie and of the token. */
    logOut(cookie: string | undefined, token: string | undefined) {
      const ofToken = token === undefined ? undefined : tokens.get(token)?.session
      for (const session of [find(cookie), ofToken]) if (session) session.isOpen = false
    },
    /** The tokens of the session with this cookie expire. */
    expire(cookie: string | undefined) {
      const session = find(cookie)
      if (session) session.oldestToken = tokens.size
    },
    /** Who may call with this token; undefined after `expire` or the end of its session. */
    applicantOf(token: string | undefined): Applicant | undefined {
      const known = token === undefined ? undefined : tokens.get(token)
      if (!known?.session.isOpen || known.number < known.session.oldestToken) return undefined
      return known.session.applicant
    },
  }
}
