import type { WorkboxPlugin } from 'workbox-core/types.js'

/**
 * Refuses other statuses than 200, a page in place of another file, and a page that is not the portal's. A captive
 * portal answers every URL with its own page and status 200; cached in place of a script it would break the portal
 * permanently. During the install of the service worker a refused file makes the install fail as a whole until a later
 * try. After the install a refused file still answers the request, but is not cached.
 */
export const onlyOwnFiles: WorkboxPlugin = {
  cacheWillUpdate: async ({ request, response }) =>
    (await isOwnFile(new URL(request.url), response)) ? response : null,
}

export async function isOwnFile(url: URL, response: Response): Promise<boolean> {
  if (response.status !== 200) return false
  const isPage = /^text\/html\b/.test(response.headers.get('content-type') ?? '')
  if (!url.pathname.endsWith('.html')) return !isPage
  return isPage && (await response.clone().text()).includes('id="root"')
}
