import type { Workbox } from 'workbox-window'
import type { PartName } from '#contract/codes.ts'
import { trustScript } from './trusted-script.ts'
import { unloadWarning } from './unload-warning.ts'

export type WorkerOptions = {
  onWaiting: (apply: () => void) => void
  /** Saves what the applicant has typed. */
  beforeReload: () => Promise<void>
}

const workerUrl = '/sw.js'
const reloadTimeKey = 'worker-reload'
const shortestReloadGapMs = 60_000
const repeatIntervalMs = 60_000

/**
 * Installs the service worker when the page is loaded and idle. Calls `onWaiting` when a new release waits: `apply`
 * activates it and reloads this page, but no other open page (D36, S99).
 */
export async function registerWorker(options: WorkerOptions): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  await whenPageIdle()
  await install(options)
  repeatUntilInstalled(options)
}

/**
 * When a file of the installation was lost, the browser installs again only at the next page load, and a form may stay
 * open for an hour.
 */
function repeatUntilInstalled(options: WorkerOptions): void {
  let repeatsLeft = 5
  const timer = setInterval(async () => {
    // Rejects where the browser refuses a service worker.
    const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined)
    if (registration?.active || repeatsLeft === 0) return clearInterval(timer)
    repeatsLeft -= 1
    // Without a registration the installation has failed; with one it still runs.
    if (!registration) await install(options)
  }, repeatIntervalMs)
  // Ends the timer as soon as a worker is installed: its next check would wake a phone at rest.
  void navigator.serviceWorker.ready.then(() => clearInterval(timer)).catch(() => undefined)
}

async function install(options: WorkerOptions): Promise<void> {
  try {
    // Loaded after hydration: the page does not need a service worker.
    const { Workbox } = await import('workbox-window')
    const workbox = new Workbox(trustScript(workerUrl))
    offerUpdates(workbox, options)
    await workbox.register({ immediate: true })
  } catch {
    // The browser may refuse a service worker. The portal then works, but not offline.
  }
}

/** Resolves when the service worker controls this page; never without a service worker. */
export function whenWorkerControls(): Promise<void> {
  return new Promise(resolve => {
    if (!('serviceWorker' in navigator)) return
    if (navigator.serviceWorker.controller) resolve()
    else navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
  })
}

/**
 * Asks the service worker to cache one group of files that it does not precache. Call it after `whenWorkerControls`.
 */
export function cachePart(part: PartName): void {
  navigator.serviceWorker.controller?.postMessage({ type: 'KEEP', part })
}

/**
 * Tells the service worker in which language it must serve the sign-in pages. While none controls this page, waits for one
 * and then sends the language that the page has at that time.
 */
export function sendLanguage(language: string): void {
  if (!('serviceWorker' in navigator)) return
  const send = () => navigator.serviceWorker.controller?.postMessage({ type: 'LANGUAGE', language })
  if (navigator.serviceWorker.controller) send()
  else
    navigator.serviceWorker.addEventListener(
      'controllerchange',
      () => sendLanguage(document.documentElement.lang),
      { once: true },
    )
}

/** Calls `listener` when a file of this release fails to load: no connection, or the server has deleted the files. */
export function onMissingFile(listener: () => void): void {
  addEventListener('vite:preloadError', listener)
}

function whenPageIdle(): Promise<void> {
  return new Promise(resolve => {
    const whenIdle = () => {
      if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 5_000 })
      else setTimeout(resolve, 1_000)
    }
    if (document.readyState === 'complete') whenIdle()
    else addEventListener('load', whenIdle, { once: true })
  })
}

function offerUpdates(workbox: Workbox, { onWaiting, beforeReload }: WorkerOptions): void {
  // `replaced`: a new service worker controls this page, for example because another tab activated it.
  let stage: 'waiting' | 'activating' | 'replaced' = 'waiting'
  const apply = () => {
    if (stage === 'replaced') return void beforeReload().then(reloadUnlessRecent)
    stage = 'activating'
    workbox.messageSkipWaiting()
  }
  workbox.addEventListener('waiting', () => {
    stage = 'waiting'
    onWaiting(apply)
  })
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (stage === 'activating') void beforeReload().then(reloadUnlessRecent)
    stage = 'replaced'
  })
}

/**
 * Reloads at most once a minute: two servers behind one address with different releases would cause endless reloads.
 * Does not reload a page whose answers a reload would lose.
 */
function reloadUnlessRecent(): void {
  if (unloadWarning.state()) return
  const now = Date.now()
  const last = Number(readReloadTime())
  if (now >= last && now - last < shortestReloadGapMs) return
  saveReloadTime(String(now))
  location.reload()
}

function readReloadTime(): string | null {
  try {
    return sessionStorage.getItem(reloadTimeKey)
  } catch {
    return null // The browser refuses storage: `reloadUnlessRecent` reloads without a limit.
  }
}

function saveReloadTime(value: string): void {
  try {
    sessionStorage.setItem(reloadTimeKey, value)
  } catch {
    // The browser refuses storage.
  }
}
