import { languageStorageKey } from '#contract/codes.ts'
import type { Device, TabMessage, Unsubscribe } from './device.ts'
import { createDurableTexts, saveCountKey } from './durable-texts.ts'
import { watchInstallPrompt } from './install-prompt.ts'
import { endPrerendered, readPrerendered } from './prerendered.ts'
import { readQrCode, canReadQrCodes } from './read-qr-code.ts'
import { canShareFiles, shareFile } from './share-file.ts'
import { sendLanguage } from './service-worker.ts'
import { trustScript } from './trusted-script.ts'
import { acquireLock, isLockHeld, withLock } from './web-locks.ts'
import { wipeStorage } from './wipe.ts'

const channelName = 'portal'

/**
 * `textsRestored` resolves when localStorage has the newest texts, or after a timeout. Await it before the first `readText`
 * (D64). Only `readStartParameters` (src/store/device-use.ts) runs before it: the parameters would be lost if the applicant
 * left the page during the wait.
 */
export type BrowserDevice = Device & { textsRestored: () => Promise<void> }

/** Creates the device of a real browser. `durableKeys`: the texts that must survive a power cut. */
export function createBrowserDevice(durableKeys: readonly string[]): BrowserDevice {
  const localTexts = { read: readLocal, write: writeLocal }
  const durableTexts = createDurableTexts(durableKeys, localTexts)
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel(channelName) : undefined
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    randomId: () => crypto.randomUUID(),
    seemsOnline: () => navigator.onLine,
    isDataSaverOn: () => connection()?.saveData === true,
    onConnection,
    isPageVisible: () => document.visibilityState === 'visible',
    onPageVisible,
    onPageHidden,
    onPageRestored,
    after(milliseconds, run) {
      // A longer time would overflow, and the timer would run at once.
      const timer = setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1))
      return () => clearTimeout(timer)
    },
    saveText(key, text) {
      writeLocal(key, text)
      if (durableKeys.includes(key)) durableTexts.save(key)
    },
    readText: readLocal,
    textsRestored: durableTexts.restored,
    saveTabText: (key, text) => write(() => sessionStorage, key, text),
    readTabText: key => read(() => sessionStorage, key),
    onSmsCode,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    broadcast: message => channel?.postMessage(message),
    onBroadcast(listener) {
      if (!channel) return () => undefined
      // Only this portal posts to the channel.
      return listen(channel, 'message', event => listener((event as MessageEvent<TabMessage>).data))
    },
    withLock,
    isLockHeld,
    acquireLock,
    startWorker,
    download,
    copy,
    canShareFiles,
    shareFile,
    canReadQrCodes,
    readQrCode,
    ...speech,
    scrollToTop: () => window.scrollTo(0, 0),
    setPageLanguage,
    readPrerendered,
    endPrerendered,
    printPages: async pages => (await import('./print-pages.ts')).printPages(pages),
    ...addresses,
    ...watchInstallPrompt(),
    persistStorage,
    wipe: ({ keysToKeep, keepsDrafts }) =>
      wipeStorage({ keysToKeep: [...keysToKeep, saveCountKey], keepsDrafts }),
  }
}

function onConnection(listener: (online: boolean) => void): Unsubscribe {
  const stopOnline = listen(window, 'online', () => listener(true))
  const stopOffline = listen(window, 'offline', () => listener(false))
  return () => (stopOnline(), stopOffline())
}

function onPageVisible(listener: () => void): Unsubscribe {
  const stopVisible = listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') listener()
  })
  const stopShown = listen(window, 'pageshow', listener)
  return () => (stopVisible(), stopShown())
}

function onPageHidden(listener: () => void): Unsubscribe {
  const stopHidden = listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') listener()
  })
  const stopLeft = listen(window, 'pagehide', listener)
  return () => (stopHidden(), stopLeft())
}

function onPageRestored(listener: () => void): Unsubscribe {
  return listen(window, 'pageshow', event => {
    if ('persisted' in event && event.persisted) listener()
  })
}

function listen(target: EventTarget, type: string, listener: (event: Event) => void): Unsubscribe {
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

const addresses = {
  urlOf: (path: string) => new URL(path, location.origin).href,
  takeUrlParameters,
  navigateTo: (path: string) => location.assign(path),
  replacePage: (address: string) => location.replace(address),
}

const speech = {
  onVoices,
  loadSpeech: async () => (await import('./speech.ts')).createSpeech(),
}

/** Voices arrive late in Chromium, and some web views have the object but never a voice. */
function onVoices(listener: () => void): Unsubscribe {
  if (!('speechSynthesis' in window)) return () => undefined
  const report = () => speechSynthesis.getVoices().length > 0 && listener()
  report()
  return listen(speechSynthesis, 'voiceschanged', report)
}

/** `navigator.connection` of Chromium. Safari, Firefox and TypeScript's DOM library do not have it. */
type Connection = { saveData?: boolean }

function connection(): Connection | undefined {
  // TypeScript does not know `connection`.
  return (navigator as { connection?: Connection }).connection
}

function startWorker(url: string): Worker {
  // TypeScript's DOM library accepts only strings.
  return new Worker(trustScript(url) as string, { type: 'module' })
}

function writeLocal(key: string, text: string | undefined): void {
  write(() => localStorage, key, text)
}

function readLocal(key: string): string | undefined {
  return read(() => localStorage, key)
}

function write(storage: () => Storage, key: string, text: string | undefined): void {
  try {
    if (text === undefined) storage().removeItem(key)
    else storage().setItem(key, text)
  } catch {
    // The browser refuses storage (private mode, policy). The portal works without it.
  }
}

function read(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined
  } catch {
    return undefined // The browser refuses storage.
  }
}

/** WebOTP. TypeScript's DOM library has no types for it. */
type OtpRequest = CredentialRequestOptions & { otp: { transport: ['sms'] } }
type OtpCredential = Credential & { code: string }

function onSmsCode(listener: (code: string) => void): Unsubscribe {
  if (!('OTPCredential' in window)) return () => undefined
  const stop = new AbortController()
  const request: OtpRequest = { otp: { transport: ['sms'] }, signal: stop.signal }
  navigator.credentials.get(request).then(
    // The request allows no other kind of credential.
    credential => credential && listener((credential as OtpCredential).code),
    () => undefined, // aborted, refused or timed out: the applicant types the code
  )
  return () => stop.abort()
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser reads the blob after the click; a minute is enough on a slow phone.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false // no clipboard API, or no permission: the page shows the text for copying by hand
  }
}

function takeUrlParameters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const address = new URL(location.href)
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = address.searchParams.get(name)
    if (value === null) continue
    found[name] = value
    address.searchParams.delete(name)
  }
  if (Object.keys(found).length > 0) history.replaceState(history.state, '', address)
  return found
}

/** The cookie contains the language code only, no personal data. */
function setPageLanguage(language: string): void {
  document.documentElement.lang = language
  const secure = location.protocol === 'https:' ? '; secure' : ''
  document.cookie = `${languageStorageKey}=${language}; path=/; max-age=31536000; samesite=lax${secure}`
  sendLanguage(language)
}

async function persistStorage(): Promise<boolean> {
  if (!('storage' in navigator) || !('persist' in navigator.storage)) return false
  return navigator.storage.persist()
}
