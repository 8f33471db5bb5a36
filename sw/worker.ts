import { addPlugins, cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching'
import { registerRoute } from 'workbox-routing'
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
import { onlyOwnFiles } from './whole-files.ts'

/** The build writes the list of files in place of `self.shellFiles`. */
declare const self: ServiceWorkerGlobalScope & { shellFiles: ListedFile[] }

/** Empty unless the build was made for a portal whose `/api/v1` lives elsewhere. */
const apiOrigin: string = import.meta.env.VITE_API_ORIGIN ?? self.location.origin

cleanupOutdatedCaches()
addPlugins([onlyOwnFiles])
const files = self.shellFiles
const partFiles = new Set(files.filter(({ part }) => part).map(({ url }) => `/${url}`))
// `/` is no name of the shell here: it is a page of its own.
precacheAndRoute(
  files.filter(({ part }) => !part),
  { directoryIndex: '', cleanURLs: false },
)

// A route is for GET alone: every other method reaches the network as if no worker were there.
registerRoute(
  ({ request, url, sameOrigin }) => request.mode === 'navigate' && sameOrigin && isPortalPage(url),
  answerPage(files),
)
registerRoute(({ url }) => url.origin === apiOrigin && isHomePlaces(url), answerHomePlaces)
registerRoute(({ url }) => url.origin === apiOrigin && isDictionary(url), answerDictionary())
registerRoute(({ url, sameOrigin }) => sameOrigin && isPdfViewer(url), answerPdfViewer())
registerRoute(({ url, sameOrigin }) => sameOrigin && partFiles.has(url.pathname), answerParts())

self.addEventListener('install', event => event.waitUntil(cachePartsOfPreviousRelease(files)))

// The first visit must be served too: the dictionaries that it loads after sign-in have to pass through here.
self.addEventListener('activate', event => {
  event.waitUntil(Promise.all([dropOldRuntimeCaches(), dropOldParts(files), self.clients.claim()]))
})

// A new release waits until the page says so, or until no page is left.
self.addEventListener('message', event => {
  if (messageType(event.data) === 'SKIP_WAITING') event.waitUntil(self.skipWaiting())
  const language = languageOf(event.data)
  if (language) event.waitUntil(cacheLanguage(language))
  const part = language === 'en' ? language : partToCache(event.data)
  // Asked for again with the next session.
  if (part) event.waitUntil(cachePart(files, part).catch(() => undefined))
})
