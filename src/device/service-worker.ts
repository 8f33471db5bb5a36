import type { Workbox } from 'workbox-window'
import { trustScript } from './trusted-script.ts'

export type WorkerOptions = {
  onWaiting: (apply: () => void) => void
  /** Keeps what was typed last. */
  beforeReload: () => Promise<void>
}

const workerUrl = '/sw.js'
const reloadTimeKey = 'worker-reload'
const shortestReloadGapMs = 60_000

/**
 * Installs the worker once the page is loaded and idle. `onWaiting` hands over a new release that waits:
 * calling `apply` switches to it and reloads this page; other open pages are left alone (D36, S99).
 */
export async function registerWorker(options: WorkerOptions): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  await whenPageIdle()
  try {
    // Not before the page is alive: nothing on it waits for a worker.
    const { Workbox } = await import('workbox-window')
    const workbox = new Workbox(trustScript(workerUrl))
    offerUpdates(workbox, options)
    await workbox.register({ immediate: true })
  } catch {
    // To be refused one is an ordinary way to run, only not offline: nothing in the portal waits for a worker.
  }
}

/** Settles once the worker answers this page's requests; never where there is none. */
export function whenWorkerControls(): Promise<void> {
  return new Promise(resolve => {
    if (!('serviceWorker' in navigator)) return
    if (navigator.serviceWorker.controller) resolve()
    else navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
  })
}

/** Has the worker keep what only somebody who signed in can use; the rest it keeps by itself. */
export function cachePart(part: 'form' | 'later' | 'en'): void {
  navigator.serviceWorker.controller?.postMessage({ type: 'KEEP', part })
}

/** The worker paints the sign-in pages in this language from now on; a worker that is only coming is told once it is here. */
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

/** A file of this page's release could not be had: the line broke, or the release is long gone from the server. */
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
  let stage: 'waiting' | 'asked' | 'taken over' = 'waiting'
  const apply = () => {
    if (stage === 'taken over') return void beforeReload().then(reloadOnce)
    stage = 'asked'
    workbox.messageSkipWaiting()
  }
  workbox.addEventListener('waiting', () => {
    stage = 'waiting'
    onWaiting(apply)
  })
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (stage === 'asked') void beforeReload().then(reloadOnce)
    stage = 'taken over'
  })
}

/** Two servers with different releases would otherwise send a page back and forth for ever. */
function reloadOnce(): void {
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
    return null // storage is switched off: the mark only guards against a fault elsewhere
  }
}

function saveReloadTime(value: string): void {
  try {
    sessionStorage.setItem(reloadTimeKey, value)
  } catch {
    // as above
  }
}
