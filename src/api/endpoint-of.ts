import type { EndpointName, endpoints } from '#contract/endpoints.ts'
import { openEndpoints } from '#contract/open-endpoints.ts'

type Endpoints = typeof endpoints

let all: Endpoints | undefined

/** The calls of a session come with the screens that make them: the sign-in pages do without. */
export async function endpointOf<Name extends EndpointName>(name: Name): Promise<Endpoints[Name]> {
  const known: Partial<Endpoints> = all ?? openEndpoints
  return known[name] ?? (await loadAll())[name]
}

async function loadAll(): Promise<Endpoints> {
  all ??= (await import('#contract/endpoints.ts')).endpoints
  return all
}
