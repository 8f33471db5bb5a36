import { CacheFirst, StaleWhileRevalidate } from 'workbox-strategies'
import type { RouteHandlerCallback, WorkboxPlugin } from 'workbox-core/types.js'
import { isFresh, splitHomePlaces } from './home-places.ts'
import { isRecord } from './records.ts'
import { onlyOwnFiles } from './whole-files.ts'

const dictionaryCache = 'dictionaries-1'
const viewerCache = 'pdf-viewer-1'
const runtimeCaches = [dictionaryCache, viewerCache]

/** 500 answers hold every list of the home country in both languages, with room for the offices abroad. */
export function answerDictionary(): StaleWhileRevalidate {
  return new StaleWhileRevalidate({
    cacheName: dictionaryCache,
    matchOptions: { ignoreVary: true },
    plugins: [keyByUrl, cacheOnlyLists, limitEntries(500)],
  })
}

/**
 * All places of the home country: asked for once a day, and laid away as the lists of which the form asks one by
 * one. A newer list that came by its own call is replaced by one of the same day.
 */
export const answerHomePlaces: RouteHandlerCallback = async ({ request, url }) => {
  const cache = await caches.open(dictionaryCache)
  const cached = await cache.match(url.href, { ignoreVary: true })
  if (cached && isFresh(cached, Date.now())) return cached
  const response = await fetch(request)
  if (!(await isList(response))) return response
  const lists = splitHomePlaces(url, await response.clone().json())
  await Promise.all(lists.map(({ address, items }) => cache.put(address, listResponse(items))))
  await cache.put(url.href, response.clone())
  return response
}

/** Three or four files a release, for this release and the one before. */
export function answerPdfViewer(): CacheFirst {
  return new CacheFirst({ cacheName: viewerCache, plugins: [onlyOwnFiles, limitEntries(8)] })
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
const keyByUrl: WorkboxPlugin = {
  cacheKeyWillBeUsed: async ({ request }) => {
    const url = new URL(request.url)
    url.searchParams.sort()
    return url.href
  },
}

/** A captive portal, a proxy or a cut line also answers; only a whole JSON envelope is worth keeping. */
const cacheOnlyLists: WorkboxPlugin = {
  cacheWillUpdate: async ({ response }) => ((await isList(response)) ? response : null),
}

async function isList(response: Response): Promise<boolean> {
  if (response.status !== 200 || response.redirected || !isJson(response)) return false
  const body: unknown = await response.clone().json()
  return isRecord(body) && 'data' in body
}

function listResponse(items: unknown[]): Response {
  return new Response(JSON.stringify({ data: { data: items } }), {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
}

function isJson(response: Response): boolean {
  return /^application\/json\b/.test(response.headers.get('content-type') ?? '')
}

/** Keys come in the order of their last update. No record beside the cache says what was asked for, and when. */
function limitEntries(limit: number): WorkboxPlugin {
  return {
    cacheDidUpdate: async ({ cacheName }) => {
      const cache = await caches.open(cacheName)
      const keys = await cache.keys()
      await Promise.all(keys.slice(0, -limit).map(key => cache.delete(key)))
    },
  }
}
