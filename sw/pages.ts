import { matchPrecache } from 'workbox-precaching'
import type { RouteHandlerCallback } from 'workbox-core/types.js'
import { defaultLanguage, type Language, languageStorageKey, languages } from '#contract/codes.ts'
import { shellPage } from './addresses.ts'
import type { ListedFile } from './parts.ts'
import { isRecord } from './records.ts'

const cacheName = 'language-1'
const cacheKey = '/language'
let known: Language | undefined

/** The worker reads no cookies: the pages tell it. */
export async function cacheLanguage(language: Language): Promise<void> {
  known = language
  await (await caches.open(cacheName)).put(cacheKey, new Response(language))
}

/**
 * A sign-in page as the build painted it, in the applicant's language; any other address begins with the shell. What
 * is not here is asked of the server.
 */
export function answerPage(files: readonly ListedFile[]): RouteHandlerCallback {
  const prerendered = files.find(({ url }) => /^assets\/pages-[\w-]{8}\.json$/.test(url))?.url
  return async ({ request, url }) => {
    const page = prerendered && (await findPrerendered(prerendered, url))
    return page || (await matchPrecache(shellPage)) || fetch(request)
  }
}

async function findPrerendered(file: string, url: URL): Promise<Response | undefined> {
  const cachedPage = await matchPrecache(file)
  const pages: unknown = await cachedPage?.json()
  const page = isRecord(pages) ? pages[`${await languageFor(url)} ${url.pathname}`] : undefined
  if (!cachedPage || typeof page !== 'string') return undefined
  // The policy that came with the file names the styles in it.
  const headers = new Headers(cachedPage.headers)
  for (const name of ['content-encoding', 'content-length', 'etag', 'last-modified']) headers.delete(name)
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(page, { headers })
}

async function languageFor(url: URL): Promise<Language> {
  const said = url.searchParams.get(languageStorageKey)
  const asked = languages.find(language => language === said)
  if (asked) return asked
  if (known) return known
  const text = await (await caches.match(cacheKey, { cacheName }))?.text()
  known = languages.find(language => language === text) ?? defaultLanguage
  return known
}
