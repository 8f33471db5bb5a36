import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the absolute path of a file of the project; the file may be missing. The source and the bundle in dist/ can
 * be at different depths, so this searches upwards for package.json. The working directory does not matter.
 *
 * @param path relative to the root of the project, for example `server/seed/fonts/OFL.txt`
 * @throws when no folder above this file contains package.json
 */
export function assetPath(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder)
    if (above === folder)
      throw new Error(`No package.json in any folder above ${fileURLToPath(import.meta.url)}`)
    folder = above
  }
  return join(folder, path)
}

/** The version in package.json: the release of this server. The footer shows it when the portal is of another release. */
export const release: string = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(assetPath('package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('package.json has no version.')
}
