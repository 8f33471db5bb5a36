import { createCall } from '#api/client.ts'
import { createSession, type Ending } from '#session/session.ts'
import { createWoundDevice, type WoundDevice } from './wound-device.ts'

/** What the sign-in pages' own pieces work with: a call and a session, without any screen. */
export function openSignInDesk({
  device = createWoundDevice(),
  onEnd,
}: { device?: WoundDevice; onEnd?: (ending: Ending) => unknown } = {}) {
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
    onEnd: async ending => void onEnd?.(ending),
  })
  return { call, session }
}
