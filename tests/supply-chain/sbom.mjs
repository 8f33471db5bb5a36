// `npm run sbom` writes dist/sbom.cdx.json, the bill of materials of this release in CycloneDX, and docs/licences.md. It reads
// only package-lock.json, and package.json for the name and version of the portal. So it needs no network and no
// installed package, and runs with any version of npm.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describeLicences } from './licences.mjs'
import { compareText, findInstalled, listPackages, readLockfile } from './lockfile.mjs'

/** How CycloneDX names the scopes: the portal and its build need no development package. */
const scopes = { production: 'required', optional: 'optional', development: 'excluded' }

/**
 * Returns the bill of materials. It has no time and no serial number, so that the same lockfile gives the same file.
 * Packages that are installed in several folders are one component.
 */
export function makeSbom(lockfile, { name, version }) {
  const packages = listPackages(lockfile)
  const root = `pkg:npm/${name}@${version}`
  const purls = new Map([['', root], ...packages.map(each => [each.path, purlOf(each)])])
  const dependsOn = new Map()
  const addDependencies = (path, names) => {
    const found = names.map(each => purls.get(findInstalled(lockfile, path, each))).filter(Boolean)
    const purl = purls.get(path)
    dependsOn.set(purl, new Set([...(dependsOn.get(purl) ?? []), ...found]))
  }
  const { dependencies = {}, devDependencies = {} } = lockfile.packages['']
  addDependencies('', Object.keys({ ...dependencies, ...devDependencies }))
  for (const each of packages) addDependencies(each.path, each.dependencies)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': root, name, version, purl: root } },
    components: [...componentsByPurl(packages).values()],
    dependencies: Array.from(dependsOn, ([ref, others]) => ({
      ref,
      dependsOn: [...others].sort(compareText),
    })),
  }
}

/** A package in several folders gets the most needed of their scopes: production, then optional, then development. */
function componentsByPurl(packages) {
  const components = new Map()
  for (const scope of ['production', 'optional', 'development'])
    for (const each of packages)
      if (each.scope === scope && !components.has(purlOf(each)))
        components.set(purlOf(each), toComponent(each))
  return components
}

function toComponent(each) {
  const [group, name] = each.name.startsWith('@') ? each.name.split('/') : [undefined, each.name]
  return {
    type: 'library',
    'bom-ref': purlOf(each),
    ...(group && { group }),
    name,
    version: each.version,
    scope: scopes[each.scope],
    hashes: hashesOf(each.integrity),
    licenses: [licenceOf(each.licence)],
    purl: purlOf(each),
  }
}

/** `sha512-…` in base64 becomes hexadecimal. */
function hashesOf(integrity = '') {
  return integrity
    .split(' ')
    .filter(Boolean)
    .map(each => {
      const [algorithm, base64] = each.split(/-(.*)/s)
      return {
        alg: algorithm.toUpperCase().replace(/^SHA/, 'SHA-'),
        content: Buffer.from(base64, 'base64').toString('hex'),
      }
    })
}

function licenceOf(text) {
  if (/^SEE LICENSE|^none$/.test(text)) return { license: { name: text } }
  return / (?:AND|OR|WITH) /.test(text) ? { expression: text } : { license: { id: text } }
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL('../../', import.meta.url)
  const lockfile = readLockfile()
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const sbom = makeSbom(lockfile, manifest)
  mkdirSync(new URL('dist/', root), { recursive: true })
  writeFileSync(new URL('dist/sbom.cdx.json', root), `${JSON.stringify(sbom, null, 2)}\n`)
  writeFileSync(new URL('docs/licences.md', root), describeLicences(listPackages(lockfile)))
  process.stdout.write(
    `dist/sbom.cdx.json: ${sbom.components.length} packages. docs/licences.md: those of production.\n`,
  )
}
