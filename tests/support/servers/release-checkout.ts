import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** What the build reads, without the packages and their lockfile. */
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

/** `buildRelease` changes these two files, so the new release has new scripts for their two chunks only (D131). */
const namedFiles = ['src/app/main.tsx', 'src/screens/confirm/confirm-screen.tsx']

/** A copy of this checkout with its build, to build the next release there, as an operator does. */
export type ReleaseCheckout = {
  folder: string
  /** Writes the name of the release into two chunks, and builds. The copied build has no name. */
  buildRelease: (name: string) => void
  /** Replaces the first `from` in the French catalogue. @throws Error when the catalogue has none */
  replaceInFrench: (from: string, to: string) => void
  remove: () => void
}

export function createReleaseCheckout(): ReleaseCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    buildRelease(name) {
      for (const file of namedFiles) {
        const path = join(folder, file)
        const text = readFileSync(path, 'utf8').replace(/\ndocument\.documentElement\.dataset.*\n$/, '\n')
        writeFileSync(path, `${text}document.documentElement.dataset['release'] = '${name}'\n`)
      }
      execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], {
        cwd: folder,
        stdio: 'ignore',
      })
    },
    replaceInFrench(from, to) {
      const file = join(folder, 'src/i18n/fr.json')
      const text = readFileSync(file, 'utf8')
      if (!text.includes(from)) throw new Error(`No French text has "${from}"`)
      writeFileSync(file, text.replace(from, to))
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the path of the file that `sw.js` imports (D132). @throws Error when `sw.js` imports none */
export function importedWorkerFile(workerScript: string): string {
  const [file] = /assets\/service-worker-[\w-]{8}\.js/.exec(workerScript) ?? []
  if (file === undefined) throw new Error('sw.js imports no file')
  return file
}
