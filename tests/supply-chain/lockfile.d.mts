export interface LockedEntry {
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export interface Lockfile {
  packages: Record<string, LockedEntry>
}

export interface InstalledPackage {
  /** The folder, such as `node_modules/zod`. */
  path: string
  name: string
  version: string
  /** An SPDX expression; `none` when the package names none. */
  licence: string
  integrity: string | undefined
  scope: 'production' | 'optional' | 'development'
  hasInstallScript: boolean
  /** The names of its dependencies, optional and peer ones too. */
  dependencies: string[]
}

export function readLockfile(): Lockfile
export function listPackages(lockfile: Lockfile): InstalledPackage[]
export function findInstalled(lockfile: Lockfile, path: string, name: string): string | undefined
export function compareText(one: string, other: string): number
