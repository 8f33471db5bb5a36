import { CacheFirst } from 'workbox-strategies'
import type { PrecacheEntry } from 'workbox-precaching'
import type { PartName } from '#contract/codes.ts'
import { isOwnFile, onlyOwnFiles } from './whole-files.ts'

/** A file of the portal in the build's list. A part is a group of files; a file without a part belongs to the shell. */
export type ListedFile = PrecacheEntry & { part?: PartName }

const cacheName = 'parts-1'

/** The parts with pages of their own, which the router shows. */
const partsWithPages = new Set<PartName>(['form', 'later', 'verify'])

/** Answers with the cached file of a part. Fetches and caches a file that is not cached yet. */
export function answerParts(): CacheFirst {
  return new CacheFirst({ cacheName, plugins: [onlyOwnFiles] })
}

/**
 * Caches the missing files of a part, one after the other, and the router if pages of the part need it.
 * @throws TypeError when a file cannot be loaded
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

function isNeeded(ofFile: PartName, part: PartName): boolean {
  return ofFile === part || (ofFile === 'router' && partsWithPages.has(part))
}

/**
 * Caches the new files of each part that the device has from the old release. Without this, no form would open offline
 * after the update. Throws as `cachePart` does; then the new release is not installed.
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
