import { type Language, leavingPatience } from '#contract/codes.ts'
import type { Ending } from '#session/session.ts'
import { addressAfterWipe, keptAfterWipe, type Left } from '#store/device-use.ts'
import type { Memory } from './memory.ts'
import type { Notices } from './notices.ts'
import type { Answers, Services } from './services.ts'

/** Under this name the store keeps who is signed in. */
export const sessionRecord = 'session'

type Parts = Pick<Services, 'device' | 'deviceUse' | 'notices' | 'openStore' | 'unfinished'> & {
  /** None before the first screen that asks. */
  answersHere: () => Pick<Answers, 'queryClient'> | undefined
  language: { current: () => { language: Language } }
  memory: Memory
  goHome: () => Promise<void> | undefined
}

/** What is done on this device when a session has ended (D31); `answered` settles once the server was told. */
export function createLeaving(parts: Parts): (ending: Ending, answered: Promise<unknown>) => Promise<void> {
  const { device, deviceUse, language, notices, answersHere, unfinished } = parts

  async function clearDevice(ending: Ending, answered: Promise<unknown>) {
    await device.wipe(keptAfterWipe)
    await Promise.race([answered, patienceEnds()])
    const use = deviceUse.current()
    device.restart(addressAfterWipe(use, { language: language.current().language, left: leftBy(ending) }))
  }

  function patienceEnds(): Promise<void> {
    return new Promise(resolve => void device.after(leavingPatience, resolve))
  }

  return async (ending, answered) => {
    answersHere()?.queryClient.clear()
    sayEnding(notices, ending)
    try {
      // What was typed until now is written while its key is still here.
      await unfinished.finish()
      await parts.memory.remove(sessionRecord)
      await (await parts.openStore()).lock()
    } finally {
      // Whatever the store can do, nothing of the applicant stays on the screen, nor what that screen asked for last.
      await parts.goHome()
      answersHere()?.queryClient.removeQueries({ type: 'inactive' })
      // A session that ran out is no leaving: what was typed waits, sealed, for the same applicant.
      if (deviceUse.isShared() && ending !== 'refused') await clearDevice(ending, answered)
    }
  }
}

/** Tells how the session ended; after another tab's log-out there is nothing to tell. */
export function sayEnding(notices: Notices, ending: Ending): void {
  if (ending === 'refused') notices.raise('warning', { key: 'notice.signIn' })
  if (ending === 'inactivity') notices.raise('warning', { key: 'notice.loggedOutIdle' })
  if (ending === 'asked') notices.raise('success', { key: 'notice.loggedOut' })
}

function leftBy(ending: Ending): Left | undefined {
  return ending === 'asked' || ending === 'inactivity' ? ending : undefined
}
