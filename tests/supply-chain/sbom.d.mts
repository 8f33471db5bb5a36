import type { Lockfile } from './lockfile.mjs'

export interface Component {
  type: 'library'
  'bom-ref': string
  group?: string
  name: string
  version: string
  scope: 'required' | 'optional' | 'excluded'
  hashes: { alg: string; content: string }[]
  licenses: ({ license: { id: string } | { name: string } } | { expression: string })[]
  purl: string
}

export interface Sbom {
  bomFormat: 'CycloneDX'
  specVersion: string
  version: number
  metadata: { component: { type: string; 'bom-ref': string; name: string; version: string; purl: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

export function makeSbom(lockfile: Lockfile, manifest: { name: string; version: string }): Sbom
