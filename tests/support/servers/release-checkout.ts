import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** What the build reads, without the packages. */
export const buildSources = [
  'index.html',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
  'public',
  'server',
  'src',
  'sw',
]
const copied = [...buildSources, 'dist/client', 'dist/server', 'dist/releases.json', 'dist/build-of.txt']

/** A copy of this checkout with its build, to build the next release there, as an operator does. */
export type ReleaseCheckout = {
  folder: string
  /** Writes the name of the release into the page, and builds. The copied build has no name. */
  buildRelease: (name: string) => void
  remove: () => void
}

export function createReleaseCheckout(): ReleaseCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    buildRelease(name) {
      const page = join(folder, 'src/app/main.tsx')
      const text = readFileSync(page, 'utf8').replace(/\ndocument\.documentElement\.dataset.*\n$/, '\n')
      writeFileSync(page, `${text}document.documentElement.dataset['release'] = '${name}'\n`)
      execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], {
        cwd: folder,
        stdio: 'ignore',
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
