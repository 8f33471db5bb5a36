import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { playwrightFeatures } from '#support/browsers/disabled-features.ts'

type Manifest = Record<'dependencies' | 'devDependencies' | 'scripts', Record<string, string>>
type Locked = { optionalDependencies?: Record<string, string>; resolved?: string }

const root = new URL('../../', import.meta.url)
const manifest = read('package.json') as Manifest // our own file
const lock = read('package-lock.json') as { packages: Record<string, Locked> } // as npm writes it

describe('the scripts of package.json', () => {
  it('run the tests of the attacks and of personal data on the disk in the full run', () => {
    const { scripts } = manifest
    expect(scripts['test:full']).toContain('npm run test:attacks')
    const folders = scripts['test:attacks']?.split(' ').filter(word => word.startsWith('tests/')) ?? []
    const files = readdirSync(new URL('tests/country/', root)).filter(name =>
      /(?:attack|disk).*\.test\.ts$/.test(name),
    )
    expect(files.length).toBeGreaterThan(2)
    const missing = files.filter(name => !folders.some(folder => `tests/country/${name}`.startsWith(folder)))
    expect(missing).toEqual([])
  })

  it('give --disable-console-intercept no path as its value by mistake', () => {
    const { scripts } = manifest
    // Vitest would take a path after this option as the value of the option.
    const swallowing = Object.values(scripts).filter(script =>
      /--disable-console-intercept \S/.test(script ?? ''),
    )
    expect(swallowing).toEqual([])
  })
})

describe('the package', () => {
  it('uses the required libraries (OFF13)', () => {
    const required =
      'react react-dom vite vite-plugin-pwa workbox-window dexie dexie-react-hooks @tanstack/react-router ' +
      '@tanstack/react-query react-hook-form zod @formatjs/intl react-intl pdfjs-dist vitest fake-indexeddb'
    const listed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(required.split(' ').filter(name => !listed.includes(name))).toEqual([])
  })

  it('has the required files and folders (OFF14, OFF15, S98)', () => {
    const files = 'package.json vite.config.ts tsconfig.json index.html src public sw tests README.md server'
    expect(files.split(' ').filter(name => !existsSync(new URL(name, root)))).toEqual([])
  })

  // npm omits a platform's package from the lockfile when the registry lacks it; npm ci then refuses the lockfile.
  it('locks every platform of every package, so that it installs on all platforms', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      path === '' ? [] : Object.keys(optionalDependencies).filter(name => !isLocked(path, name)),
    )
    expect(missing).toEqual([])
  })

  it('has no registry address in the lockfile', () => {
    const named = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)
    expect(named.map(([path]) => path)).toEqual([])
  })
})

/** Searches as Node does: in the package's own `node_modules`, then in each outer one. */
function isLocked(path: string, name: string): boolean {
  const inner = `${path}/node_modules/${name}`
  if (inner in lock.packages) return true
  const outer = path.lastIndexOf('node_modules/')
  return outer > 0 ? isLocked(path.slice(0, outer - 1), name) : `node_modules/${name}` in lock.packages
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, root), 'utf8'))
}

describe('the list of the features that Playwright disables', () => {
  it('is the list of the installed Playwright', () => {
    const source = readFileSync(new URL('node_modules/playwright-core/lib/coreBundle.js', root), 'utf8')
    const [, list = ''] = /\n *disabledFeatures = \[([^]*?)\n *\]/.exec(source) ?? []
    const names = [...list.matchAll(/^ *"(\w+)",?$/gm)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(playwrightFeatures).toEqual(names)
  })
})
