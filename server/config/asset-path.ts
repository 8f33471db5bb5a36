import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where a file that ships beside the sources stands. The bundle in dist/ is deeper than the sources, so the project
 * is looked for upwards, and never from the working directory.
 *
 * @param path from the project's root, `server/seed/fonts/OFL.txt`
 */
export function assetPath(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder)
    if (above === folder) throw new Error(`No project stands above ${fileURLToPath(import.meta.url)}`)
    folder = above
  }
  return join(folder, path)
}
