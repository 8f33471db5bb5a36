import { CacheFirst, StaleWhileRevalidate } from 'workbox-strategies'
import type { RouteHandlerCallback, WorkboxPlugin } from 'workbox-core/types.js'
import { isFormList } from './addresses.ts'
import { isFresh, splitHomePlaces } from './home-places.ts'
import { onlyOwnFiles } from './own-files.ts'
import { isWholeList } from './whole-lists.ts'

const dictionaryCache = 'dictionaries-1'
const viewerCache = 'pdf-viewer-1'
const runtimeCaches = [dictionaryCache, viewerCache]

/**
 * Requests a list of the form at most once a day, every other list at each use. A cached list answers at once, and the request
 * updates it in the background. 500 responses are enough for all lists of the home country in both languages and those of the
 * offices abroad.
 */
export function answerDictionary(): RouteHandlerCallback {
  const updating = new StaleWhileRevalidate({
    cacheName: dictionaryCache,
    matchOptions: { ignoreVary: true },
    plugins: [keyByUrl, cacheOnlyLists, limitEntries(500)],
  })
  return async options => {
    const fresh = isFormList(options.url) ? await findFresh(options.url) : undefined
    return fresh ?? updating.handle(options)
  }
}

async function findFresh(url: URL): Promise<Response | undefined> {
  const cached = await (await caches.open(dictionaryCache)).match(keyOf(url), { ignoreVary: true })
  return cached && isFresh(cached, Date.now()) ? cached : undefined
}

/**
 * Requests all places of the home country at most once a day and caches them as the single lists that the form
 * requests. This replaces a list that its own call has cached before, so that all these lists have one date. The page gets
 * the places also when the storage refuses them: otherwise a full disk would look like a lost connection.
 */
export const answerHomePlaces: RouteHandlerCallback = async ({ request, url }) => {
  const fresh = await findFresh(url)
  if (fresh) return fresh
  const response = await fetch(request)
  if (await isWholeList(response)) await cacheHomePlaces(url, response.clone()).catch(() => undefined)
  return response
}

/** @throws the browser's error when the storage refuses the lists */
async function cacheHomePlaces(url: URL, response: Response): Promise<void> {
  const cache = await caches.open(dictionaryCache)
  const lists = splitHomePlaces(url, await response.clone().json())
  const date = response.headers.get('date') ?? ''
  await Promise.all(lists.map(({ address, items }) => cache.put(address, listResponse(items, date))))
  await cache.put(url.href, response)
}

/** 8 entries: the two files of this release and of the three before it. */
export function answerPdfViewer(): CacheFirst {
  return new CacheFirst({ cacheName: viewerCache, plugins: [onlyOwnFiles, limitEntries(8)] })
}

/** Deletes runtime caches whose version number is old. Workbox deletes old precaches itself. */
export async function dropOldRuntimeCaches(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter(
    name => /^(?:dictionaries|pdf-viewer)-/.test(name) && !runtimeCaches.includes(name),
  )
  await Promise.all(old.map(name => caches.delete(name)))
}

/** Uses the URL as the cache key: a cached request would also store its headers, including the token. */
const keyByUrl: WorkboxPlugin = {
  cacheKeyWillBeUsed: async ({ request }) => keyOf(new URL(request.url)),
}

function keyOf({ href }: URL): string {
  const url = new URL(href)
  url.searchParams.sort()
  return url.href
}

/** Caches whole lists only: a captive portal or a proxy may answer with something else. */
const cacheOnlyLists: WorkboxPlugin = {
  cacheWillUpdate: async ({ response }) => ((await isWholeList(response)) ? response : null),
}

function listResponse(items: unknown[], date: string): Response {
  return new Response(JSON.stringify({ data: { data: items } }), {
    headers: { 'content-type': 'application/json; charset=utf-8', date },
  })
}

/** Deletes the entries that were updated longest ago. `keys()` returns them in that order, so no index is needed. */
function limitEntries(limit: number): WorkboxPlugin {
  return {
    cacheDidUpdate: async ({ cacheName }) => {
      const cache = await caches.open(cacheName)
      const keys = await cache.keys()
      await Promise.all(keys.slice(0, -limit).map(key => cache.delete(key)))
    },
  }
}
