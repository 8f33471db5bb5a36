import type { WorkboxPlugin } from 'workbox-core/types.js'

/**
 * A captive portal answers every address with its own page and 200. Installed in place of a script it would break
 * the portal for good, so such an install fails as a whole and is tried again at the next start.
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
