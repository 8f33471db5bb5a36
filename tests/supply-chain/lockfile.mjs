// Reads package-lock.json, because `npm sbom --omit dev` leaves out a package of production that a development package needs too.

import { readFileSync } from 'node:fs'

/** Licences of packages that name none in their manifest, from their file LICENSE. */
const licencesByFile = { 'png-js': 'MIT' }

/** Returns the lockfile of this repository. */
export function readLockfile() {
  return JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
}

/** Returns the installed packages of a lockfile, sorted by name and folder. */
export function listPackages(lockfile) {
  return Object.entries(lockfile.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => toPackage(path, entry))
    .toSorted((one, other) => compareText(one.name, other.name) || compareText(one.path, other.path))
}

function toPackage(path, entry) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return {
    path,
    name,
    version: entry.version,
    licence: entry.license ?? licencesByFile[name] ?? 'none',
    integrity: entry.integrity,
    scope: scopeOf(entry),
    hasInstallScript: entry.hasInstallScript === true,
    dependencies: Object.keys({
      ...entry.dependencies,
      ...entry.optionalDependencies,
      ...entry.peerDependencies,
    }),
  }
}

/**
 * `development`: needed by no production package. `optional`: no production package requires it; most such
 * packages are for one platform only.
 */
function scopeOf({ dev, devOptional, optional }) {
  if (dev) return 'development'
  return optional || devOptional ? 'optional' : 'production'
}

/**
 * Returns the folder in which Node finds a dependency of a package: in the package's own `node_modules`, then in each outer
 * one. Undefined when it is in none.
 */
export function findInstalled(lockfile, path, name) {
  const folder = path === '' ? 'node_modules' : `${path}/node_modules`
  if (`${folder}/${name}` in lockfile.packages) return `${folder}/${name}`
  if (path === '') return undefined
  return findInstalled(lockfile, path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name)
}

/** The order of two texts, the same on every machine. */
export function compareText(one, other) {
  if (one === other) return 0
  return one < other ? -1 : 1
}
