import { addPlugins, cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching'
import { registerRoute, setCatchHandler } from 'workbox-routing'
import { isDictionary, isPdfViewer, isPortalPage } from './addresses.ts'
import { answerDictionary, answerHomePlaces, answerPdfViewer, dropOldRuntimeCaches } from './caches.ts'
import { isHomePlaces } from './home-places.ts'
import { languageOf, messageType, partToCache } from './messages.ts'
import { answerPage, cacheLanguage } from './pages.ts'
import {
  answerParts,
  dropOldParts,
  cachePart,
  cachePartsOfPreviousRelease,
  type ListedFile,
} from './parts.ts'
import { onlyOwnFiles } from './own-files.ts'

/** `sw.js` sets the list of the files of the shell and of the parts before it imports this script (D132). */
declare const self: ServiceWorkerGlobalScope & { listedFiles: ListedFile[] }

/** The portal's own origin, unless the build names another origin for `/api/v1`: an empty setting names none. */
const apiOrigin: string = import.meta.env.VITE_API_ORIGIN || self.location.origin

cleanupOutdatedCaches()
addPlugins([onlyOwnFiles])
const files = self.listedFiles
const partFiles = new Set(files.filter(({ part }) => part).map(({ url }) => `/${url}`))
// `/` must not resolve to the page of the shell: the welcome page is a prerendered page of its own.
precacheAndRoute(
  files.filter(({ part }) => !part),
  { directoryIndex: '', cleanURLs: false },
)

// These routes match GET only; all other methods go to the network.
registerRoute(
  ({ request, url, sameOrigin }) => request.mode === 'navigate' && sameOrigin && isPortalPage(url),
  answerPage(files),
)
registerRoute(({ url }) => url.origin === apiOrigin && isHomePlaces(url), answerHomePlaces)
registerRoute(({ url }) => url.origin === apiOrigin && isDictionary(url), answerDictionary())
registerRoute(({ url, sameOrigin }) => sameOrigin && isPdfViewer(url), answerPdfViewer())
registerRoute(({ url, sameOrigin }) => sameOrigin && partFiles.has(url.pathname), answerParts())

// A browser whose storage is damaged may refuse to open a cache. With a connection the portal must still open.
setCatchHandler(({ request }) => fetch(request))

self.addEventListener('install', event => event.waitUntil(cachePartsOfPreviousRelease(files)))

// Controls open pages also on the first visit, so that the worker caches the dictionaries that these pages load.
self.addEventListener('activate', event => {
  event.waitUntil(Promise.all([dropOldRuntimeCaches(), dropOldParts(files), self.clients.claim()]))
})

// A new release waits for the message of a page, or until all pages are closed.
self.addEventListener('message', event => {
  if (messageType(event.data) === 'SKIP_WAITING') event.waitUntil(self.skipWaiting())
  const language = languageOf(event.data)
  if (language) event.waitUntil(cacheLanguage(language))
  // The English texts are a part; the shell has the French ones.
  const part = language === 'en' ? language : partToCache(event.data)
  // After a failure, the next start of a session or the next use of the part sends the message again.
  if (!part) return
  event.waitUntil(cachePart(files, part).catch(() => undefined))
  // A release that was installed before this message has not cached the part, and its activation deletes the files of this
  // release. Sends on only the message of a page: the next release must not send the message of this worker to itself.
  if (!(event.source instanceof Client)) return
  const { installing, waiting } = self.registration
  // Both: a release that is being installed replaces the one that waits.
  for (const next of [waiting, installing])
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the message to a worker names no origin
    next?.postMessage(event.data)
})
