import { CacheFirst } from 'workbox-strategies'
import type { PrecacheEntry } from 'workbox-precaching'
import type { PartName } from '#contract/codes.ts'
import { isOwnFile, onlyOwnFiles } from './own-files.ts'

/** A file of the portal in the build's list. `part`: the group of files that it belongs to; undefined for the shell. */
export type ListedFile = PrecacheEntry & { part?: PartName }

const cacheName = 'parts-1'

/** The parts with pages of their own, which the router shows. */
const partsWithPages = new Set<PartName>(['form', 'later', 'verify'])

/**
 * Returns a strategy that answers with the cached file of a part. It fetches a file that is not cached yet and answers with
 * the response, but caches only a file of the portal.
 */
export function answerParts(): CacheFirst {
  return new CacheFirst({ cacheName, plugins: [onlyOwnFiles] })
}

/**
 * Caches the missing files of a part, one after the other, with those of the part `router` if the part has pages.
 * @throws TypeError when a file cannot be loaded; the browser's error when the cache is full
 */
export async function cachePart(files: readonly ListedFile[], part: PartName): Promise<void> {
  const cache = await caches.open(cacheName)
  for (const { url } of files.filter(file => file.part !== undefined && isNeeded(file.part, part))) {
    if (await cache.match(url)) continue
    const response = await fetch(url, { credentials: 'same-origin' })
    if (!(await isOwnFile(new URL(url, self.location.href), response)))
      throw new TypeError(`${url} did not load: the response is not a file of the portal`)
    await cache.put(url, response)
  }
}

function isNeeded(partOfFile: PartName, part: PartName): boolean {
  return partOfFile === part || (partOfFile === 'router' && partsWithPages.has(part))
}

/**
 * Caches the new files of each part that has a cached file of the old release. Without this, no such part, for example the
 * form, would open offline after the update. Throws as `cachePart` does; then the browser does not install the new release.
 */
export async function cachePartsOfPreviousRelease(files: readonly ListedFile[]): Promise<void> {
  const cached = (await (await caches.open(cacheName)).keys()).map(({ url }) => nameOf(url))
  const parts = new Set(files.filter(({ url }) => cached.includes(nameOf(url))).map(({ part }) => part))
  for (const part of parts) if (part) await cachePart(files, part)
}

/** Deletes the cached files of older releases. */
export async function dropOldParts(files: readonly ListedFile[]): Promise<void> {
  const cache = await caches.open(cacheName)
  const present = files.map(({ url }) => new URL(url, self.location.href).href)
  const old = (await cache.keys()).filter(({ url }) => !present.includes(url))
  await Promise.all(old.map(request => cache.delete(request)))
}

/** Returns the name without the hash, the same in every release: `form` for `/assets/form-B5Yc7dP4.js`. */
function nameOf(url: string): string {
  return url.replace(/^.*\//, '').replace(/-[\w-]{8}\.\w+$/, '')
}
