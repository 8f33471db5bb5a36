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

/** The build replaces `self.shellFiles` with the list of files. */
declare const self: ServiceWorkerGlobalScope & { shellFiles: ListedFile[] }

/** This page's own origin, unless the build names another origin for `/api/v1`. */
const apiOrigin: string = import.meta.env.VITE_API_ORIGIN ?? self.location.origin

cleanupOutdatedCaches()
addPlugins([onlyOwnFiles])
const files = self.shellFiles
const partFiles = new Set(files.filter(({ part }) => part).map(({ url }) => `/${url}`))
// `/` must not resolve to the shell: the welcome page is prerendered.
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

self.addEventListener('install', event => event.waitUntil(cachePartsOfPreviousRelease(files)))

// Claims open pages on the first visit too, so that the worker caches the dictionaries that they load after sign-in.
self.addEventListener('activate', event => {
  event.waitUntil(Promise.all([dropOldRuntimeCaches(), dropOldParts(files), self.clients.claim()]))
})

// A new release waits for the message of a page, or until all pages are closed.
self.addEventListener('message', event => {
  if (messageType(event.data) === 'SKIP_WAITING') event.waitUntil(self.skipWaiting())
  const language = languageOf(event.data)
  if (language) event.waitUntil(cacheLanguage(language))
  const part = language === 'en' ? language : partToCache(event.data)
  // After a failure the next session asks again.
  if (part) event.waitUntil(cachePart(files, part).catch(() => undefined))
})
