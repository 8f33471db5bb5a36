import type { Plugin } from 'vite'

/**
 * Moves the code of the service worker to a file with a hash in its name. `sw.js` keeps the list of files to cache and
 * imports the code, so an update that changes only other files does not load the code again (D132).
 */
export function splitWorker(): Plugin {
  return {
    name: 'split-worker',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue
        // Named after its content, as every asset.
        const id = this.emitFile({ type: 'asset', name: 'service-worker.js', source: file.code })
        file.code = importingScript(`/${this.getFileName(id)}`)
      }
    },
  }
}

/**
 * Returns `sw.js`. The build replaces `self.filesToCache` with the list. `policy`: of Trusted Types, for browsers that
 * enforce them in workers; the Content-Security-Policy allows its name. The constants are in a block, because both scripts
 * share the names of the top level.
 */
function importingScript(url: string): string {
  return `self.listedFiles = self.filesToCache
{
  const url = '${url}'
  const policy = self.trustedTypes?.createPolicy('sw-url', { createScriptURL: () => url })
  importScripts(policy ? policy.createScriptURL(url) : url)
}
`
}
