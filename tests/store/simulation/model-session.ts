import type { SessionState } from '#session/session.ts'
import type { Store } from '#store/store.ts'
import { createAsk, refreshToken } from './line.ts'
import type { SessionParts, TabSession } from './tab-session.ts'
import { ada } from './virtual-platform.ts'

/** The session of the stories with a seed below `firstSessionSeed`: all pages of a phone are signed in as Ada, or none is. */
export function createModelSession({ phone, world, guard, isAlive, store }: SessionParts): TabSession {
  const { clock, chance } = world
  const account = world.account(ada.applicantId)
  const listeners = new Set<() => void>()
  // Half of the pages that find a key on the disk use it, as a page does that starts without a connection.
  const readsKey = phone.disk.hasKey() && chance.below(2) === 0
  let ready = phone.signedIn && !readsKey ? setKey(store()) : Promise.resolve()

  function setKey(opened: Store) {
    return guard(opened.setKey(ada, 'device'))
  }

  async function refresh(): Promise<void> {
    await clock.sleep(1_000)
    if (!isAlive() || !phone.signedIn || phone.token === phone.acceptedToken) return
    if (await refreshToken({ phone, clock, chance })) return world.emitSession(phone)
    await clock.sleep(4_000)
    return refresh()
  }

  const ask = createAsk({
    phone,
    clock,
    chance,
    server: account.server,
    trail: world.trail,
    onExpired: () => void refresh(),
  })

  return {
    account: () => account,
    isSignedIn: () => phone.signedIn,
    forSync: {
      state: () => sessionState(phone.signedIn),
      token: () => (phone.signedIn ? `token ${phone.token}` : undefined),
      subscribe: listener => (listeners.add(listener), () => listeners.delete(listener)),
      // In these stories only Ada signs in.
      watchEnd: () => () => false,
    },
    ask,
    ready: () => ready,
    storeReady: () => ready,
    onSession: () => listeners.forEach(listener => listener()),
    signIn() {
      ready = setKey(store())
      return ready
    },
    portal: undefined,
  }
}

function sessionState(signedIn: boolean): SessionState {
  if (!signedIn) return { kind: 'signed-out' }
  // The sync reads only `kind`.
  return { kind: 'signed-in', claims: { applicantId: ada.applicantId } } as SessionState
}
