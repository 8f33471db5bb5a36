import type { InstallMethod, Unsubscribe } from './device.ts'
import { createObservable } from './observable.ts'

/** The event of the browser's install prompt. TypeScript's DOM library has no type for it. */
type InstallPromptEvent = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> }

export type InstallPrompt = {
  installMethod: () => InstallMethod | undefined
  onInstallMethod: (listener: () => void) => Unsubscribe
  install: () => Promise<boolean>
}

/** Listens from the start of the page, because browsers dispatch the event early. */
export function watchInstallPrompt(): InstallPrompt {
  const promptEvent = createObservable<InstallPromptEvent | undefined>(undefined)

  window.addEventListener('beforeinstallprompt', event => {
    event.preventDefault()
    promptEvent.setState(event as InstallPromptEvent) // the type of the event with this name
  })
  window.addEventListener('appinstalled', () => promptEvent.setState(undefined))

  return {
    installMethod() {
      if (isInstalled()) return undefined
      if (promptEvent.state()) return 'prompt'
      return isAppleTouch() ? 'manual' : undefined
    },
    onInstallMethod: promptEvent.subscribe,
    async install() {
      const event = promptEvent.state()
      if (!event) return false
      // The browser shows the prompt of one event only once.
      promptEvent.setState(undefined)
      const { outcome } = await event.prompt()
      return outcome === 'accepted'
    },
  }
}

function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true
}

/** No browser of an iPhone or iPad has an install prompt. An iPad reports itself as a Mac, but with touch points. */
function isAppleTouch(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
}
