import type { InstalledPackage } from './lockfile.mjs'

export const allowedLicences: Record<string, string>
export const allowedInDevelopment: Record<string, string>
export function describeLicences(packages: readonly InstalledPackage[]): string
