import { readFileSync } from 'node:fs'
import { assetPath } from './asset-path.ts'

/** The version in package.json, which the footer shows. */
export const release: string = readVersion()

function readVersion(): string {
  const described: unknown = JSON.parse(readFileSync(assetPath('package.json'), 'utf8'))
  if (typeof described === 'object' && described !== null && 'version' in described)
    return String(described.version)
  throw new Error('package.json has no version.')
}
