import { matchPrecache } from 'workbox-precaching'
import type { RouteHandlerCallback } from 'workbox-core/types.js'
import { defaultLanguage, type Language, languageStorageKey, languages } from '#contract/codes.ts'
import { importMapElement } from '#contract/import-map.ts'
import { shellPage } from './addresses.ts'
import type { ListedFile } from './parts.ts'
import { isRecord } from './is-record.ts'

const cacheName = 'language-1'
const cacheKey = '/language'
let knownLanguage: Language | undefined

/** Caches the language that a page has sent, because a service worker cannot read the cookie that has it. */
export async function cacheLanguage(language: Language): Promise<void> {
  knownLanguage = language
  await (await caches.open(cacheName)).put(cacheKey, new Response(language))
}

/**
 * Answers the address of a sign-in page with its prerendered page in the applicant's language, every other address with
 * the shell. Without the prerendered page, a sign-in page gets the shell too. Without the shell, the server answers.
 */
export function answerPage(files: readonly ListedFile[]): RouteHandlerCallback {
  const prerendered = files.find(({ url }) => /^assets\/pages-[\w-]{8}\.json$/.test(url))?.url
  return async ({ request, url }) => {
    const page = prerendered && (await findPrerendered(prerendered, url))
    return page || (await matchPrecache(shellPage)) || fetch(request)
  }
}

async function findPrerendered(file: string, url: URL): Promise<Response | undefined> {
  const pages: unknown = await (await matchPrecache(file))?.json()
  const page = isRecord(pages) ? pages[`${await languageFor(url)} ${url.pathname}`] : undefined
  const shell = await matchPrecache(shellPage)
  if (!shell || typeof page !== 'string') return undefined
  const filled = fillIn(page, await shell.text())
  if (filled === undefined) return undefined
  // Keep the CSP header of the shell: it has the hashes of the import map and of the styles in the page.
  const headers = new Headers(shell.headers)
  for (const name of ['content-encoding', 'content-length', 'etag', 'last-modified']) headers.delete(name)
  return new Response(filled, { headers })
}

/**
 * Fills the import map of the shell and the file names of the chunks into a page (D131). The file with all pages contains
 * neither, so a release that changes only chunks leaves it as it is. Returns undefined when the shell has no import map.
 */
function fillIn(page: string, shell: string): string | undefined {
  const [element, text = ''] = importMapElement.exec(shell) ?? []
  if (element === undefined) return undefined
  const map: unknown = JSON.parse(text)
  const names = isRecord(map) && isRecord(map['imports']) ? Object.entries(map['imports']) : []
  return names
    .reduce<string>((filled, [name, chunk]) => filled.replaceAll(`"${name}"`, `"${String(chunk)}"`), page)
    .replace(importMapElement, () => element)
}

async function languageFor(url: URL): Promise<Language> {
  const parameter = url.searchParams.get(languageStorageKey)
  const requested = languages.find(language => language === parameter)
  if (requested) return requested
  if (knownLanguage) return knownLanguage
  const text = await (await caches.match(cacheKey, { cacheName }))?.text()
  knownLanguage = languages.find(language => language === text) ?? defaultLanguage
  return knownLanguage
}
