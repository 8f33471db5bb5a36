import { languageStorageKey } from '#contract/codes.ts'
import type { Device, TabMessage, Unsubscribe } from './device.ts'
import { watchInstallPrompt } from './install-prompt.ts'
import { endPrerendered, readPrerendered } from './prerendered.ts'
import { printPages } from './print-pages.ts'
import { readQrCode, canReadQrCodes } from './read-qr-code.ts'
import { canShareFiles, shareFile } from './share-file.ts'
import { sendLanguage } from './service-worker.ts'
import { trustScript } from './trusted-script.ts'
import { wipeStorage } from './wipe.ts'

const channelName = 'portal'

/** The device as a browser gives it. */
export function createBrowserDevice(): Device {
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel(channelName) : undefined
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    randomId,
    seemsOnline: () => navigator.onLine,
    savesData: () => connection()?.saveData === true,
    hasFastConnection: () => connection()?.effectiveType === '4g' && connection()?.saveData !== true,
    onConnection(listener) {
      const stopOnline = listen(window, 'online', () => listener(true))
      const stopOffline = listen(window, 'offline', () => listener(false))
      return () => (stopOnline(), stopOffline())
    },
    onPageVisible(listener) {
      const stopVisible = listen(document, 'visibilitychange', () => {
        if (document.visibilityState === 'visible') listener()
      })
      const stopShown = listen(window, 'pageshow', listener)
      return () => (stopVisible(), stopShown())
    },
    after(milliseconds, run) {
      const timer = setTimeout(run, milliseconds)
      return () => clearTimeout(timer)
    },
    saveText: (key, text) => write(() => localStorage, key, text),
    readText: key => read(() => localStorage, key),
    saveTabText: (key, text) => write(() => sessionStorage, key, text),
    readTabText: key => read(() => sessionStorage, key),
    onSmsCode,
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    broadcast: message => channel?.postMessage(message),
    onBroadcast(listener) {
      if (!channel) return () => undefined
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the channel carries our own messages
      return listen(channel, 'message', event => listener((event as MessageEvent<TabMessage>).data))
    },
    withLock,
    acquireLock,
    startWorker,
    download,
    copy,
    canShareFiles,
    shareFile,
    canReadQrCodes,
    readQrCode,
    scrollToTop: () => window.scrollTo(0, 0),
    setPageLanguage,
    readPrerendered,
    endPrerendered,
    printPages,
    urlOf: path => new URL(path, location.origin).href,
    ...watchInstallPrompt(),
    persistStorage,
    takeUrlParameters,
    wipe: wipeStorage,
    navigateTo: path => location.assign(path),
    replacePage: address => location.replace(address),
  }
}

function listen(target: EventTarget, type: string, listener: (event: Event) => void): Unsubscribe {
  target.addEventListener(type, listener)
  return () => target.removeEventListener(type, listener)
}

/** TypeScript's DOM has no word for it, and Safari and Firefox have none either. */
type Connection = { saveData?: boolean; effectiveType?: string }

function connection(): Connection | undefined {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return (navigator as { connection?: Connection }).connection
}

function startWorker(url: string): Worker {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript's DOM knows plain addresses only
  return new Worker(trustScript(url) as string, { type: 'module' })
}

function randomId(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID()
  const bytes = (crypto as Crypto).getRandomValues(new Uint8Array(16)) // plain http has no randomUUID
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function write(storage: () => Storage, key: string, text: string | undefined): void {
  try {
    if (text === undefined) storage().removeItem(key)
    else storage().setItem(key, text)
  } catch {
    // Storage refused (private mode, policy): the portal runs on, it just forgets.
  }
}

function read(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined
  } catch {
    return undefined // as above
  }
}

/** WebOTP; TypeScript's DOM has no words for it. */
type OtpRequest = CredentialRequestOptions & { otp: { transport: ['sms'] } }
type OtpCredential = Credential & { code: string }

function onSmsCode(listener: (code: string) => void): Unsubscribe {
  if (!('OTPCredential' in window)) return () => undefined
  const stop = new AbortController()
  const request: OtpRequest = { otp: { transport: ['sms'] }, signal: stop.signal }
  navigator.credentials.get(request).then(
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- no other kind was asked for
    credential => credential && listener((credential as OtpCredential).code),
    () => undefined, // stopped, refused or timed out: the code is typed
  )
  return () => stop.abort()
}

function withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? navigator.locks.request(name, run) : run()
}

async function acquireLock(
  name: string,
  { timeoutMs, onLost }: { timeoutMs: number; onLost: () => void },
): Promise<() => void> {
  if (!('locks' in navigator)) return () => undefined
  return (
    (await requestLock(name, { signal: signalAfter(timeoutMs) }, onLost)) ??
    (await requestLock(name, { steal: true }, onLost)) ??
    (() => undefined)
  )
}

/** The way to let go of the lock; undefined when it was not had in time. */
function requestLock(
  name: string,
  options: LockOptions,
  onLost: () => void,
): Promise<(() => void) | undefined> {
  return new Promise(resolve => {
    let isHeld = false
    const { promise: released, resolve: release } = createLatch()
    navigator.locks
      .request(name, options, () => {
        isHeld = true
        resolve(release)
        return released
      })
      // Not in time, or stolen while it was held.
      .catch(() => (isHeld ? onLost() : resolve(undefined)))
  })
}

function createLatch(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = doNothing
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}

function doNothing(): void {}

function signalAfter(milliseconds: number): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), milliseconds)
  return stop.signal
}

function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser reads the blob after the click; a minute is ample even for a slow phone.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false // no such thing here, or not allowed: the text stands on the page
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

/** The cookie holds two letters, and nothing about anybody. */
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
