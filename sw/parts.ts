import { CacheFirst } from 'workbox-strategies'
import type { PrecacheEntry } from 'workbox-precaching'
import type { PartName } from './messages.ts'
import { isOwnFile, onlyOwnFiles } from './whole-files.ts'

/** One file of the portal, as the build lists it; without a part it belongs to the shell. */
export type ListedFile = PrecacheEntry & { part?: PartName }

const cacheName = 'parts-1'

/** A file of a part is kept when it was used, too. */
export function answerParts(): CacheFirst {
  return new CacheFirst({ cacheName, plugins: [onlyOwnFiles] })
}

/** Fetches what is not here yet, one after the other; it fails when one cannot be had. */
export async function cachePart(files: readonly ListedFile[], part: PartName): Promise<void> {
  const cache = await caches.open(cacheName)
  for (const { url } of files.filter(file => file.part === part)) {
    if (await cache.match(url)) continue
    const response = await fetch(url, { credentials: 'same-origin' })
    if (!(await isOwnFile(new URL(url, self.location.href), response)))
      throw new TypeError(`${url} cannot be had`)
    await cache.put(url, response)
  }
}

/** A phone that has a part goes on having it: a release without it could open no form offline. */
export async function cachePartsOfPreviousRelease(files: readonly ListedFile[]): Promise<void> {
  const cached = (await (await caches.open(cacheName)).keys()).map(({ url }) => nameOf(url))
  const parts = new Set(files.filter(({ url }) => cached.includes(nameOf(url))).map(({ part }) => part))
  for (const part of parts) if (part) await cachePart(files, part)
}

/** The files of releases that are gone. */
export async function dropOldParts(files: readonly ListedFile[]): Promise<void> {
  const cache = await caches.open(cacheName)
  const present = files.map(({ url }) => new URL(url, self.location.href).href)
  const old = (await cache.keys()).filter(({ url }) => !present.includes(url))
  await Promise.all(old.map(request => cache.delete(request)))
}

/** `/assets/form-B5Yc7dP4.js` is called `form` in every release. */
function nameOf(url: string): string {
  return url.replace(/^.*\//, '').replace(/-[\w-]{8}\.\w+$/, '')
}
