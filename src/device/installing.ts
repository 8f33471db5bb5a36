import type { InstallWay, Unsubscribe } from './device.ts'

/** The browser's own question, to be asked when it suits; TypeScript's DOM has no words for it. */
type InstallQuestion = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> }

export type Installing = {
  installWay: () => InstallWay | undefined
  onInstallWay: (listener: () => void) => Unsubscribe
  install: () => Promise<boolean>
}

/** Listens from the first moment on: browsers ask once, early, and at their own time. */
export function watchInstalling(): Installing {
  const listeners = new Set<() => void>()
  let question: InstallQuestion | undefined

  function change(next: InstallQuestion | undefined) {
    question = next
    for (const listener of listeners) listener()
  }

  window.addEventListener('beforeinstallprompt', event => {
    event.preventDefault()
    change(event as InstallQuestion) // the event of that name
  })
  window.addEventListener('appinstalled', () => change(undefined))

  return {
    installWay() {
      if (isInstalled()) return undefined
      if (question) return 'ask'
      return isAppleTouch() ? 'by-hand' : undefined
    },
    onInstallWay(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async install() {
      const asked = question
      if (!asked) return false
      // It can be asked once.
      change(undefined)
      const { outcome } = await asked.prompt()
      return outcome === 'accepted'
    },
  }
}

function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true
}

/** Safari on a phone or tablet has no question; an iPad calls itself a Mac, but has fingers. */
function isAppleTouch(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
}
