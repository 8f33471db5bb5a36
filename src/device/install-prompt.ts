import type { InstallMethod, Unsubscribe } from './device.ts'

/** The browser's own question, to be asked when it suits; TypeScript's DOM has no words for it. */
type InstallPromptEvent = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> }

export type InstallPrompt = {
  installMethod: () => InstallMethod | undefined
  onInstallMethod: (listener: () => void) => Unsubscribe
  install: () => Promise<boolean>
}

/** Listens from the first moment on: browsers ask once, early, and at their own time. */
export function watchInstallPrompt(): InstallPrompt {
  const listeners = new Set<() => void>()
  let promptEvent: InstallPromptEvent | undefined

  function setPromptEvent(next: InstallPromptEvent | undefined) {
    promptEvent = next
    for (const listener of listeners) listener()
  }

  window.addEventListener('beforeinstallprompt', event => {
    event.preventDefault()
    setPromptEvent(event as InstallPromptEvent) // the event of that name
  })
  window.addEventListener('appinstalled', () => setPromptEvent(undefined))

  return {
    installMethod() {
      if (isInstalled()) return undefined
      if (promptEvent) return 'ask'
      return isAppleTouch() ? 'by-hand' : undefined
    },
    onInstallMethod(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async install() {
      const asked = promptEvent
      if (!asked) return false
      // It can be asked once.
      setPromptEvent(undefined)
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
