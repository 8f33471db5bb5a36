import type { Plugin } from 'vite'

/** The module with Vite's function around each dynamic import. */
const helper = '\0vite/preload-helper.js'

/**
 * Replaces Vite's function around each dynamic import. Vite's function first preloads what the import needs, but no import of
 * the portal has preloads (D131): their code would only make the first visit larger. The new function only tells the portal
 * about a file that did not load, with the event that `onMissingFile()` in src/device/service-worker.ts waits for.
 */
export function leaveOutPreloads(): Plugin {
  return {
    name: 'leave-out-preloads',
    apply: 'build',
    // Before Vite's own plugin loads the module.
    enforce: 'pre',
    load: id => (id === helper ? withoutPreloads : undefined),
  }
}

const withoutPreloads = `export const __vitePreload = load => load().catch(error => {
  dispatchEvent(new Event('vite:preloadError'))
  throw error
})`
