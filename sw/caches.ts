import { CacheFirst, StaleWhileRevalidate } from 'workbox-strategies'
import type { WorkboxPlugin } from 'workbox-core/types.js'

const dictionaryCache = 'dictionaries-1'
const viewerCache = 'pdf-viewer-1'
const runtimeCaches = [dictionaryCache, viewerCache]

/** 500 answers hold every list of the home country in both languages, with room for the offices abroad. */
export function answerDictionary(): StaleWhileRevalidate {
  return new StaleWhileRevalidate({
    cacheName: dictionaryCache,
    matchOptions: { ignoreVary: true },
    plugins: [keyedByAddress, onlyLists, keepNewest(500)],
  })
}

/** Three or four files a release, for this release and the one before. */
export function answerPdfViewer(): CacheFirst {
  return new CacheFirst({ cacheName: viewerCache, plugins: [onlyWhole, keepNewest(8)] })
}

/** What log-out on a shared device asks for: only the shell stays. */
export async function forgetRuntimeCaches(): Promise<void> {
  await Promise.all(runtimeCaches.map(name => caches.delete(name)))
}

/** Those of a release that numbered them otherwise; the precache tidies itself. */
export async function dropOldRuntimeCaches(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter(
    name => /^(?:dictionaries|pdf-viewer)-/.test(name) && !runtimeCaches.includes(name),
  )
  await Promise.all(old.map(name => caches.delete(name)))
}

/** A cache stores the request's headers with its key: an address alone leaves the token out. */
const keyedByAddress: WorkboxPlugin = {
  cacheKeyWillBeUsed: async ({ request }) => {
    const url = new URL(request.url)
    url.searchParams.sort()
    return url.href
  },
}

/** A captive portal, a proxy or a cut line also answers; only a whole JSON envelope is worth keeping. */
const onlyLists: WorkboxPlugin = {
  cacheWillUpdate: async ({ response }) => {
    if (response.status !== 200 || response.redirected || !isJson(response)) return null
    const body: unknown = await response.clone().json()
    return typeof body === 'object' && body !== null && 'data' in body ? response : null
  },
}

const onlyWhole: WorkboxPlugin = {
  cacheWillUpdate: async ({ response }) => (response.status === 200 ? response : null),
}

function isJson(response: Response): boolean {
  return /^application\/json\b/.test(response.headers.get('content-type') ?? '')
}

/** Keys come in the order of their last update. No record beside the cache says what was asked for, and when. */
function keepNewest(limit: number): WorkboxPlugin {
  return {
    cacheDidUpdate: async ({ cacheName }) => {
      const cache = await caches.open(cacheName)
      const keys = await cache.keys()
      await Promise.all(keys.slice(0, -limit).map(key => cache.delete(key)))
    },
  }
}
