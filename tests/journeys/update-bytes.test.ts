import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createReleaseCheckout, importedWorkerFile } from '#support/servers/release-checkout.ts'
import { isFullRun } from '#support/test-tier.ts'

it.runIf(isFullRun)(
  'an update costs a device with all parts at most 15 KiB when it adds one word to a screen (D131, D132)',
  () => {
    const checkout = createReleaseCheckout()
    try {
      checkout.buildRelease('A')
      const before = listedFiles(checkout.folder)
      checkout.replaceInFrench('Vérifiez vos données', 'Vérifiez toutes vos données')
      checkout.buildRelease('A')
      const changed = listedFiles(checkout.folder).filter(file => !before.includes(file))
      const urls = ['sw.js', ...changed.map(file => file.replace(/ .*/, ''))]
      const bytes = urls.reduce((sum, url) => sum + compressedBytes(checkout.folder, url), 0)
      process.stdout.write(`An update of one word: ${bytes} bytes in ${urls.join(', ')}\n`)
      expect(changed.length).toBeGreaterThan(0)
      expect(bytes).toBeLessThanOrEqual(15 * 1_024)
    } finally {
      checkout.remove()
    }
  },
)

/** Returns the file that `sw.js` imports, and each file that it lists, with its revision when its name has no hash. */
function listedFiles(folder: string): string[] {
  const worker = readFileSync(join(folder, 'dist/client/sw.js'), 'utf8')
  const listed = [...worker.matchAll(/\{[^{}]*"url":"([^"]+)"[^{}]*\}/g)].map(
    ([entry, url = '']) => `${url} ${/"revision":"(\w+)"/.exec(entry)?.[1] ?? ''}`,
  )
  return [importedWorkerFile(worker), ...listed]
}

function compressedBytes(folder: string, url: string): number {
  const file = join(folder, 'dist/client', url)
  return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size
}
