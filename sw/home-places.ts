import { isRecord } from './records.ts'

/** The address that answers all places of the home country at once, and how long its answer serves. */
const homePlacesPath = '/api/v1/dictionary/home-places'
const dayMs = 24 * 60 * 60 * 1_000

export function isHomePlaces(url: URL): boolean {
  return url.pathname === homePlacesPath && [...url.searchParams.keys()].every(name => name === 'lg')
}

/** One list as its own call would have answered it. */
export type SingleList = { address: string; items: unknown[] }

/**
 * The lists of regions, departments and localities that one answer holds, each under the address of its own call:
 * with them every cascade is answered without the line (D35). Nothing when the answer is not what it should be.
 */
export function splitHomePlaces(url: URL, body: unknown): SingleList[] {
  const regions = listOf(body, 'data', 'data')
  const addressOf = (name: string, query: Record<string, string>) => {
    const address = new URL(`/api/v1/dictionary/${name}`, url)
    address.search = new URLSearchParams({ ...query, lg: url.searchParams.get('lg') ?? 'fr' }).toString()
    address.searchParams.sort()
    return address.href
  }
  const lists = regions.flatMap(region => {
    const departments = listOf(region, 'departments')
    const within = departments.map(department => ({
      address: addressOf('localities', { region: codeOf(region), department: codeOf(department) }),
      items: listOf(department, 'localities'),
    }))
    return [
      { address: addressOf('departments', { region: codeOf(region) }), items: departments.map(named) },
      ...within,
    ]
  })
  return regions.length === 0
    ? []
    : [{ address: addressOf('regions', {}), items: regions.map(named) }, ...lists]
}

/** An answer serves for a day by the server's own clock; a phone whose clock is off asks more often. */
export function isFresh(response: Response, now: number): boolean {
  const age = now - Date.parse(response.headers.get('date') ?? '')
  return age >= 0 && age < dayMs
}

function named(division: unknown): unknown {
  return isRecord(division) ? { code: division['code'], name: division['name'] } : division
}

function codeOf(division: unknown): string {
  return isRecord(division) ? String(division['code']) : ''
}

function listOf(value: unknown, ...path: string[]): unknown[] {
  const found = path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value)
  return Array.isArray(found) ? found : []
}
