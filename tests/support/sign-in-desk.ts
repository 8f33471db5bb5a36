import { createCall } from '#api/client.ts'
import { createSession } from '#session/session.ts'
import { createWoundDevice } from './wound-device.ts'

/** What the sign-in pages' own pieces work with: a call and a session, without any screen. */
export function openSignInDesk() {
  const device = createWoundDevice()
  const call = createCall({
    device,
    origin: '',
    token: () => session.token(),
    renew: () => session.renew(),
    onProblem: () => undefined,
    onReached: () => undefined,
  })
  const session = createSession({
    device,
    call,
    use: () => ({ kind: 'own' }),
    onOpen: async () => undefined,
    onLeaving: async () => undefined,
    wouldLose: async () => false,
    onEnd: async () => undefined,
  })
  return { call, session }
}
